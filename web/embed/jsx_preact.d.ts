// The elements in Preact's JSX: `import type {} from "sqrtdk/elements/preact"`.
import type { SqrtdkJsx } from "sqrtdk/elements";

declare module "preact" {
  namespace JSX {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- adds to Preact's own
    interface IntrinsicElements extends SqrtdkJsx {}
  }
}

// The elements in React's JSX (19 and later): `import type {} from "sqrtdk/elements/react"`.
import type { SqrtdkJsx } from "sqrtdk/elements";

declare module "react" {
  namespace JSX {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- adds to React's own
    interface IntrinsicElements extends SqrtdkJsx {}
  }
}

// The worker of the module `ops`.
import glue from "../../build/wasm/ops.mjs";
import { serve } from "../worker/serve.ts";
import { withOpsHosts } from "../worker/with_ops.ts";

serve(glue, withOpsHosts);

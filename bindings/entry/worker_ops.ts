// The worker of the module `ops`.
import { serve } from "../worker/serve.ts";
import { withOpsHosts } from "../worker/with_ops.ts";

serve(withOpsHosts);

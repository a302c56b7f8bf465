// The worker of the module `nn`.
import { serve } from "../worker/serve.ts";
import { withLayersHosts } from "../worker/with_layers.ts";

serve(withLayersHosts);

// The worker of the module `nn`.
import glue from "../../build/wasm/nn.mjs";
import { serve } from "../worker/serve.ts";
import { withLayersHosts } from "../worker/with_layers.ts";

serve(glue, withLayersHosts);

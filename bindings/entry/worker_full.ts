// The worker of the module `full`.
import glue from "../../build/wasm/full.mjs";
import { fullHosts } from "../worker/full.ts";
import { serve } from "../worker/serve.ts";

serve(glue, fullHosts);

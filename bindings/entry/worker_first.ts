// The worker of the module `first`.
import glue from "../../build/wasm/first.mjs";
import { firstHosts } from "../worker/first.ts";
import { serve } from "../worker/serve.ts";

serve(glue, firstHosts);

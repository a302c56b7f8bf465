// The worker of the module `first`.
import glue from "../../build/wasm/first.mjs";
import { serve } from "../worker/serve.ts";

serve(glue);

// The worker of the module `full`.
import glue from "../../build/wasm/full.mjs";
import { serve } from "../worker/serve.ts";
import { makeHost } from "../worker/training.ts";

serve(glue, makeHost);

// The worker of the module `experiments`.
import glue from "../../build/wasm/experiments.mjs";
import { serve } from "../worker/serve.ts";
import { makeHost } from "../worker/training.ts";

serve(glue, makeHost);

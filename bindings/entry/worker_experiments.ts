// The worker of the module `experiments`.
import glue from "../../build/wasm/experiments.mjs";
import { withTrainersHosts } from "../worker/with_trainers.ts";
import { serve } from "../worker/serve.ts";

serve(glue, withTrainersHosts);

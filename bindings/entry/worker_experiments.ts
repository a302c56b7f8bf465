// The worker of the module `experiments`.
import { withTrainersHosts } from "../worker/with_trainers.ts";
import { serve } from "../worker/serve.ts";

serve(withTrainersHosts);

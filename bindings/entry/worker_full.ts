// The worker of the module `full`.
import { fullHosts } from "../worker/full.ts";
import { serve } from "../worker/serve.ts";

serve(fullHosts);

// The worker of the module `first`.
import { firstHosts } from "../worker/first.ts";
import { serve } from "../worker/serve.ts";

serve(firstHosts);

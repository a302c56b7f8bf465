// The worker of the module `threads`: one of its threads.
import { takePart } from "../worker/take_part.ts";

takePart();

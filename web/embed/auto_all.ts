// sqrtdk.auto.all.js: like sqrtdk.auto.js, but with every experiment and the race. It fetches nothing.
import { setUpAuto } from "./auto_setup.ts";
import * as experiments from "./experiments.ts";

setUpAuto(() => Promise.resolve(experiments));

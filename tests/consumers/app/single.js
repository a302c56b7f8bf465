import { load as single } from "sqrtdk/single";
import { useAll } from "./use.js";

globalThis.used = useAll({ single });

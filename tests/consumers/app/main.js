import { load } from "sqrtdk";
import "sqrtdk/elements";
import { load as nn } from "sqrtdk/nn";
import { load as ops } from "sqrtdk/ops";
import { load as single } from "sqrtdk/single";
import { useAll } from "./use.js";

globalThis.used = useAll({ sqrtdk: load, nn, ops, single });

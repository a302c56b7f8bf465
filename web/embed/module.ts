// A module of experiments that lies in this very file: its wasm and its worker as text.
import { kernels, worker } from "sqrtdk:embedded";
import { load, type Sqrtdk } from "../../bindings/index.ts";

export const here = (): Promise<Sqrtdk> =>
  load({ wasmBinary: Uint8Array.from(kernels, (character) => character.charCodeAt(0)) });

/** After `here`. */
export const beside = () => load({ worker: { source: worker } });

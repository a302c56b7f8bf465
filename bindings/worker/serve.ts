// What a worker's script does.
import type { Glue } from "../api/module.ts";
import { hosting } from "./hosting.ts";
import type { FromWorker, MakeHost, ToWorker, Transfer } from "./messages.ts";

interface WorkerScope {
  onmessage: ((event: { data: ToWorker }) => void) | null;
  postMessage(message: FromWorker, options: Transfer): void;
}

/** Listens to the page. */
export function serve(glue: Glue, makers: readonly MakeHost[]): void {
  const scope = globalThis as unknown as WorkerScope;
  const { receive } = hosting(glue, makers, (message, transfer = []) => {
    scope.postMessage(message, { transfer });
    return true;
  });
  scope.onmessage = ({ data }) => receive(data);
}

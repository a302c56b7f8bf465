// What a worker's script does.
import { hosting } from "./hosting.ts";
import type { FromWorker, MakeHost, ToWorker, Transfer } from "./messages.ts";

interface WorkerScope {
  onmessage: ((event: { data: ToWorker }) => void) | null;
  postMessage(message: FromWorker, options: Transfer): void;
}

/** Listens to the page. */
export function serve(makers: readonly MakeHost[]): void {
  const scope = globalThis as unknown as WorkerScope;
  const { receive } = hosting(makers, (message, transfer = []) => {
    scope.postMessage(message, { transfer });
    return true;
  });
  scope.onmessage = ({ data }) => receive(data);
}

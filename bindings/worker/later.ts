// Giving way to what waits.

/** After the messages that have come: a timer would wait for milliseconds. */
export function later(action: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (action: () => void) => unknown };
  if (setImmediate) {
    setImmediate(action);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    action();
  };
  port2.postMessage(0);
}

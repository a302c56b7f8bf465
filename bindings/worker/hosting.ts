// The worker's side: takes the compiled module once, then requests and orders, one after the other.
import { instantiate } from "../api/module.ts";
import { Border } from "../api/raw.ts";
import type { Host, MakeHost, Tell, ToWorker } from "./messages.ts";

export interface Hosting {
  receive(message: ToWorker): void;
  end(): void;
}

export function hosting(makers: readonly MakeHost[], tell: Tell): Hosting {
  let hosts: Promise<readonly Host[]> | undefined;

  async function start(module: WebAssembly.Module): Promise<readonly Host[]> {
    const border = new Border(await instantiate(module));
    return makers.map((make) => make(border, tell));
  }

  async function receive(message: ToWorker): Promise<void> {
    if ("module" in message) {
      await (hosts = start(message.module));
      tell({ kind: "ready" });
    } else {
      for (const host of (await hosts) ?? []) host.receive(message);
    }
  }

  return {
    receive: (message) => {
      receive(message).catch((error: unknown) => tell({ kind: "failed", message: String(error) }));
    },
    end: () => void hosts?.then((all) => all.forEach((host) => host.end())),
  };
}

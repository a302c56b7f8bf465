import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Cancelled, ValueError } from "../../../bindings/api/errors.ts";
import { maxDrawsHere, Runner, type RunListener } from "../../../web/elements/runner.ts";
import type { Experiments, Kernels } from "../../../web/elements/setup.ts";
import { UrlStore } from "../../../web/state/url_store.ts";
import { fixture } from "./fixtures/load.ts";

const { result } = fixture("article_snippet");

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Kernels whose work is the parameter `work`; a worker run lasts 1 s and reports its half. */
function bench() {
  const log: string[] = [];
  const here = {
    experiment: () => ({
      work: ({ work }: Record<string, string>) => {
        if (work === "bad")
          throw new ValueError({
            code: "not_a_number",
            operator: "x",
            argument: "work",
            expected: "",
            got: "",
          });
        return Number(work);
      },
      run: () => (log.push("here"), result),
    }),
  } as unknown as Experiments;
  const kernels: Pick<Kernels, "beside"> = {
    beside: () =>
      Promise.resolve({
        experiment: () => ({
          run: (_, { signal, onProgress }) =>
            new Promise((resolve, reject) => {
              log.push("beside");
              setTimeout(() => onProgress(0.5), 500);
              setTimeout(() => resolve(result), 1000);
              signal.addEventListener("abort", () => {
                log.push("aborted");
                reject(
                  new Cancelled({ code: "cancelled", operator: "x", argument: "", expected: "", got: "" }),
                );
              });
            }),
        }),
      }),
  };
  const listener: RunListener = {
    done: (_, texts) => log.push(`done ${texts["work"]}`),
    failed: (error) => log.push(`failed ${(error as ValueError).code}`),
    progress: (share) => log.push(`progress ${share}`),
  };
  return { log, runner: new Runner(kernels, here, "x", listener) };
}

const large = String(maxDrawsHere + 1);

describe("Runner", () => {
  it("computes small runs before it returns, and refuses what is wrong as quickly", () => {
    const { log, runner } = bench();
    runner.start({ work: String(maxDrawsHere) });
    runner.start({ work: "bad" });
    expect(log).toEqual(["here", "done 2000000", "failed not_a_number"]);
  });

  it("computes large runs in the worker, with progress", async () => {
    const { log, runner } = bench();
    runner.start({ work: large });
    expect(log).toEqual([]);
    expect(runner.busy).toBe(true);
    await vi.advanceTimersByTimeAsync(3000);
    expect(runner.busy).toBe(false);
    expect(log).toEqual(["beside", "progress 0", "progress 0.5", "progress undefined", `done ${large}`]);
  });

  it("waits for the input to settle: of ten quick changes one is computed", async () => {
    const { log, runner } = bench();
    for (let i = 0; i < 10; ++i) {
      runner.start({ work: String(maxDrawsHere + i + 1) });
      await vi.advanceTimersByTimeAsync(50);
    }
    await vi.advanceTimersByTimeAsync(3000);
    expect(log.filter((entry) => entry === "beside")).toHaveLength(1);
    expect(log.at(-1)).toBe(`done ${maxDrawsHere + 10}`);
  });

  it("never delivers a stale result", async () => {
    const { log, runner } = bench();
    runner.start({ work: large });
    await vi.advanceTimersByTimeAsync(600);
    runner.start({ work: "1" });
    await vi.advanceTimersByTimeAsync(3000);
    expect(log.filter((entry) => entry.startsWith("done"))).toEqual(["done 1"]);
    expect(log).toContain("aborted");
    expect(log.some((entry) => entry.startsWith("failed"))).toBe(false);
  });

  it("says whether there was anything to cancel", async () => {
    const { log, runner } = bench();
    expect(runner.cancel()).toBe(false);
    runner.start({ work: large }, { wait: false });
    await vi.advanceTimersByTimeAsync(100);
    expect(runner.cancel()).toBe(true);
    await vi.advanceTimersByTimeAsync(3000);
    expect(log).toEqual(["beside", "aborted"]);
  });
});

describe("UrlStore", () => {
  function page(hash: string) {
    const listeners = new Map<string, () => void>();
    const replaced: string[] = [];
    const location = { hash, pathname: "/en/", search: "", href: `http://x/en/${hash}` };
    const window = {
      location,
      history: {
        state: null,
        replaceState: (_: unknown, __: string, address: string) => replaced.push(address),
      },
      document: { getElementById: () => null },
      addEventListener: (type: string, listener: () => void) => listeners.set(type, listener),
    };
    return {
      location,
      replaced,
      fire: (type: string) => listeners.get(type)?.(),
      store: new UrlStore(window as never),
    };
  }
  const defaults = { d: "512", seed: "0" };

  it("writes at most a few times a second, the last state at the end", async () => {
    const { store, replaced } = page("#hero&article_snippet.d=64");
    for (let d = 1; d <= 100; ++d) {
      store.write("hero", { ...defaults, d: String(d) }, defaults);
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(replaced.length).toBeLessThan(5);
    expect(replaced.at(-1)).toBe("/en/#hero&article_snippet.d=64&hero.d=100");
    expect(store.read("hero", defaults).texts).toEqual({ d: "100", seed: "0" });
  });

  it("writes what is pending before the page goes", () => {
    const { store, replaced, fire } = page("");
    store.write("hero", { ...defaults, d: "7" }, defaults);
    fire("pagehide");
    expect(replaced).toEqual(["/en/#hero&hero.d=7"]);
  });

  it("tells of a hash that came from elsewhere, which wins over what is pending", async () => {
    const { store, replaced, location, fire } = page("");
    const heard = vi.fn();
    const stop = store.subscribe(heard);
    store.write("hero", { ...defaults, d: "7" }, defaults);
    location.hash = "#hero&hero.d=9";
    fire("hashchange");
    await vi.advanceTimersByTimeAsync(1000);
    expect(heard).toHaveBeenCalledOnce();
    expect(replaced).toEqual([]);
    expect(store.read("hero", defaults).texts["d"]).toBe("9");
    stop();
    fire("hashchange");
    expect(heard).toHaveBeenCalledOnce();
  });

  it("makes links of one element and refuses what is too long", () => {
    const { store } = page("#hero&hero.d=9");
    expect(store.link("article_snippet", { ...defaults, seed: "7" }, defaults)).toBe(
      "http://x/en/#article_snippet&article_snippet.seed=7",
    );
    const long = { ...defaults, d: "1,".repeat(50_000) };
    expect(store.link("article_snippet", long, defaults)).toBeUndefined();
    expect(store.write("article_snippet", long, defaults)).toBe(false);
    expect(store.read("article_snippet", defaults).texts).toEqual(defaults);
  });
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ValueError, abortReason } from "../../../bindings/api/errors.ts";
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
    experiments: {
      get: () => ({
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
    },
  } as unknown as Experiments;
  const kernels: Pick<Kernels, "beside"> = {
    beside: () =>
      Promise.resolve({
        experiments: {
          get: () => ({
            run: (_, { signal, onProgress }) =>
              new Promise((resolve, reject) => {
                log.push("beside");
                setTimeout(() => onProgress(0.5), 500);
                setTimeout(() => resolve(result), 1000);
                signal.addEventListener("abort", () => {
                  log.push("aborted");
                  reject(abortReason(signal));
                });
              }),
          }),
        },
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

  it("says whether a worker computes, from its first report to the end", async () => {
    const { runner } = bench();
    const states: boolean[] = [runner.computes];
    runner.start({ work: large }, { wait: false });
    for (const milliseconds of [100, 500, 3000]) {
      await vi.advanceTimersByTimeAsync(milliseconds);
      states.push(runner.computes);
    }
    expect(states).toEqual([false, false, true, false]);
    runner.start({ work: large }, { wait: false });
    await vi.advanceTimersByTimeAsync(600);
    runner.cancel();
    expect(runner.computes).toBe(false);
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
    /** The history's addresses, and how often it was changed. */
    const entries = [`/en/${hash}`];
    const changes: string[] = [];
    const location = { hash, pathname: "/en/", search: "", href: `http://x/en/${hash}` };
    const write = (address: string): void => {
      location.hash = /#.*/.exec(address)?.[0] ?? "";
      changes.push(address);
    };
    const shown = vi.fn();
    const history = {
      state: null as unknown,
      replaceState: (_: unknown, __: string, address: string) => {
        entries[entries.length - 1] = address;
        write(address);
      },
      pushState: (state: unknown, __: string, address: string) => {
        history.state = state;
        entries.push(address);
        write(address);
      },
    };
    const window = {
      location,
      history,
      innerHeight: 700,
      document: {
        getElementById: () => ({
          querySelector: () => ({
            scrollIntoView: shown,
            getBoundingClientRect: () => ({ top: 900, bottom: 1000 }),
          }),
        }),
      },
      addEventListener: (type: string, listener: () => void) => listeners.set(type, listener),
    };
    return {
      location,
      history,
      entries,
      changes,
      shown,
      fire: (type: string) => listeners.get(type)?.(),
      store: new UrlStore(window as never),
    };
  }
  const defaults = { d: "512", seed: "0" };

  it("writes at most a few times a second, the last state at the end", async () => {
    const { store, changes, entries } = page("#hero&article_snippet.d=64");
    for (let d = 1; d <= 100; ++d) {
      store.write("hero", { ...defaults, d: String(d) }, defaults);
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(changes.length).toBeLessThan(6);
    expect(entries).toEqual(["/en/#hero&article_snippet.d=64", "/en/#hero&article_snippet.d=64&hero.d=100"]);
    expect(store.read("hero", defaults).texts).toEqual({ d: "100", seed: "0" });
  });

  it("writes what is pending before the page goes", () => {
    const { store, changes, entries, fire } = page("");
    for (const d of ["7", "8", "9"]) store.write("hero", { ...defaults, d }, defaults);
    expect(changes).toEqual(["/en/#hero&hero.d=7"]); // at once
    fire("pagehide");
    expect(entries).toEqual(["/en/", "/en/#hero&hero.d=9"]);
  });

  it("makes an entry for each control, and for one that is changed again after a rest", async () => {
    const { store, entries } = page("");
    const write = (d: string, seed: string, control: string): boolean =>
      store.write("hero", { d, seed }, defaults, control);
    for (const d of ["1", "12", "128"]) {
      write(d, "0", "d");
      await vi.advanceTimersByTimeAsync(300);
    }
    await vi.advanceTimersByTimeAsync(700);
    write("128", "5", "seed");
    expect(entries).toEqual(["/en/", "/en/#hero&hero.d=128", "/en/#hero&hero.d=128&hero.seed=5"]);
    await vi.advanceTimersByTimeAsync(5000);
    write("128", "6", "seed");
    expect(entries).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(5000);
    write("128", "6", "seed"); // nothing changes
    await vi.advanceTimersByTimeAsync(5000);
    expect(entries).toHaveLength(4);
    write("512", "0", "reset");
    expect(entries.at(-1)).toBe("/en/#hero");
  });

  it("writes no more often where a program changes one control after another", async () => {
    const { store, changes } = page("");
    for (let i = 0; i < 200; ++i) {
      store.write("hero", { d: String(i), seed: String(i) }, defaults, i % 2 ? "d" : "seed");
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(changes.length).toBeLessThan(8);
  });

  it("after Back or Forward scrolls to no section, and the next change is an entry of its own", () => {
    const { store, location, history, entries, shown, fire } = page("");
    store.write("hero", { ...defaults, d: "7" }, defaults);
    location.hash = "#hero&hero.d=3"; // an entry of ours
    fire("hashchange");
    expect(shown).not.toHaveBeenCalled();
    expect(store.read("hero", defaults).texts["d"]).toBe("3");
    history.state = null; // a link
    fire("hashchange");
    expect(shown).toHaveBeenCalledOnce();
    store.write("hero", { ...defaults, d: "8" }, defaults);
    fire("pagehide");
    expect(entries).toEqual(["/en/", "/en/#hero&hero.d=7", "/en/#hero&hero.d=8"]);
  });

  it("tells of a hash that came from elsewhere, which wins over what is pending", async () => {
    const { store, changes, location, fire } = page("");
    const heard = vi.fn();
    const stop = store.subscribe(heard);
    for (const d of ["7", "8"]) store.write("hero", { ...defaults, d }, defaults);
    location.hash = "#hero&hero.d=9";
    fire("hashchange");
    await vi.advanceTimersByTimeAsync(1000);
    expect(heard).toHaveBeenCalledOnce();
    expect(changes).toEqual(["/en/#hero&hero.d=7"]);
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

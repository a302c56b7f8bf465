// The worker's side of trainers, by its messages: whatever was said last is enough to go on elsewhere.
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { makeTrain } from "../../bindings/api/make_trainers.ts";
import { Border } from "../../bindings/api/raw.ts";
import { Scopes } from "../../bindings/api/scope.ts";
import { startModule } from "./start_module.ts";
import { TrainerHost } from "../../bindings/worker/trainer_host.ts";
import type { FromTrainers, ToTrainers } from "../../bindings/worker/messages.ts";
import type { Train } from "../../bindings/entry/full.ts";

const config = { length: "4", symbols: "5", dModel: "8", nLayers: "1", batch: "2", seed: "3" };
const make = { kind: "make", config, steps: 0 } as const;
const run = { kind: "run", recordEvery: 25, examples: 4, headExamples: 2, records: true } as const;

vi.setConfig({ testTimeout: 20000 });

let trainers: Train;
beforeAll(async () => {
  const border = new Border(await startModule());
  trainers = makeTrain({ border, scopes: new Scopes(border) });
});
afterEach(() => vi.restoreAllMocks());

/** Each look at the clock takes 5 milliseconds. */
function slowClock(): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 5));
}

/** What a host says to these orders until the call `last` is over; `at` is told of every message as it comes. */
function hear(
  orders: readonly ToTrainers[],
  last: number,
  at: (message: FromTrainers, host: TrainerHost) => void = () => undefined,
): Promise<FromTrainers[]> {
  return new Promise((resolve, reject) => {
    const heard: FromTrainers[] = [];
    const post = (message: FromTrainers): void => {
      heard.push(message);
      at(message, host);
      const isOver = message.kind === "answer" || message.kind === "failure" || message.kind === "stopped";
      if (!isOver || message.call !== last) return;
      host.end();
      resolve(heard);
    };
    const host = new TrainerHost(trainers, post, reject);
    for (const order of orders) host.receive(order);
  });
}

const rowsIn = (heard: readonly FromTrainers[]): Float64Array[] =>
  heard.flatMap((message) => (message.kind === "ran" ? message.rows : []));
const kept = (heard: readonly FromTrainers[]) =>
  heard.flatMap((message, i) => (message.kind === "kept" ? [{ ...message, i }] : []));
const hashIn = (heard: readonly FromTrainers[]): unknown => {
  const answer = heard.at(-1);
  return answer?.kind === "answer" ? answer.value : undefined;
};

const kindsIn = (heard: readonly FromTrainers[], of: string) => heard.filter(({ kind }) => kind === of);
const step = (trainer: number, call: number): ToTrainers => ({
  trainer,
  call,
  kind: "call",
  method: "step",
  given: [],
});

const orders = (until: number): ToTrainers[] => [
  { trainer: 1, call: 1, ...make },
  { trainer: 1, call: 2, ...run, howFar: { until } },
];
const hash = { trainer: 1, call: 3, kind: "call", method: "weightHash", given: [] } as const;
const thenHash = (message: FromTrainers, host: TrainerHost): void => {
  if (message.kind === "answer" && message.call === 2) host.receive(hash);
};

describe("what is reported", () => {
  it("leads a new worker to the same place from every checkpoint, or from none", async () => {
    slowClock();
    const heard = await hear(orders(800), 3, thenHash);
    const rows = rowsIn(heard);
    expect(rows.map((row) => row[0])).toEqual(Array.from({ length: 33 }, (_, i) => 25 * i));
    expect(kept(heard).length).toBeGreaterThan(1);
    for (const { i, steps } of kept(heard)) {
      const before = heard.slice(0, i).findLast((message) => message.kind === "ran");
      expect(before?.result?.step).toBe(steps); // all up to there has come
    }
    const cuts = [3, ...kept(heard).map(({ i }) => i + 1), heard.length - 3];
    for (const cut of cuts) {
      const known = heard.slice(0, cut);
      const { checkpoint } = kept(known).at(-1) ?? {};
      const { steps = 0 } = known.at(-1) ?? {};
      const again: ToTrainers[] = [
        { trainer: 1, call: 1, kind: "make", config, checkpoint, steps },
        ...orders(800).slice(1),
      ];
      const rest = await hear(again, 3, thenHash);
      expect([...rowsIn(known), ...rowsIn(rest)]).toEqual(rows);
      expect(hashIn(rest)).toBe(hashIn(heard));
    }
  });

  it("comes at most every 50 ms, and checkpoints every 2 s", async () => {
    slowClock();
    let times: number[] = [];
    const heard = await hear(orders(800), 2, (message) => {
      if (message.kind === "ran") times.push(performance.now());
    });
    times = times.slice(0, -1); // the end is told at once
    for (let i = 1; i < times.length; ++i) {
      const gap = (times[i] as number) - (times[i - 1] as number);
      expect(gap).toBeLessThan(200);
    }
    const reports = heard.filter(({ kind }) => kind === "ran").length;
    expect(reports).toBeLessThan(performance.now() / 50 + kept(heard).length + 2);
    expect(kept(heard).length).toBeLessThanOrEqual(performance.now() / 2000);
  });

  it("of a run that is stopped is all of it, and then nothing", async () => {
    slowClock();
    const stop = { trainer: 1, call: 2, kind: "stop" } as const;
    let stopped = false;
    const [first] = orders(0) as [ToTrainers];
    const often: ToTrainers = { trainer: 1, call: 2, ...run, recordEvery: 2, howFar: 1e9 };
    const heard = await hear([first, often], 2, (message, host) => {
      if (stopped || message.kind !== "ran" || message.steps < 300) return;
      stopped = true;
      setImmediate(() => setImmediate(() => host.receive(stop))); // between two reports
    });
    const steps = heard.at(-1)?.steps as number;
    expect(heard.at(-1)?.kind).toBe("stopped");
    expect(rowsIn(heard).length).toBe(1 + Math.floor(steps / 2));
    const again = await hear([...orders(1e9), stop], 2);
    expect(again.at(-1)?.kind).toBe("stopped");
  });
});

describe("orders", () => {
  it("wait until a trainer is where it was", async () => {
    slowClock();
    const ordered: ToTrainers[] = [{ trainer: 1, call: 1, kind: "make", config, steps: 1500 }, step(1, 2)];
    const heard = await hear(ordered, 2);
    expect(kindsIn(heard, "alive").length).toBeGreaterThan(10);
    const others = heard.filter(({ kind }) => kind !== "alive");
    expect(others.map(({ kind }) => kind)).toEqual(["answer", "kept", "answer"]); // none on the way
    expect(others.map(({ steps }) => steps)).toEqual([0, 1500, 1501]);
  });

  it("are let in between slices, and trainers take turns", async () => {
    slowClock();
    let asked = false;
    const both = [1, 2].flatMap((trainer): ToTrainers[] => [
      { trainer, call: 1, ...make },
      { trainer, call: 2, ...run, howFar: 300 },
    ]);
    const heard = await hear(both, 9, (message, host) => {
      if (message.kind === "ran" && !asked) {
        asked = true;
        for (const order of [step(1, 3), { ...hash, call: 4 }]) host.receive(order);
      }
      if (message.kind === "answer" && message.call === 2 && message.trainer === 2) host.receive(step(2, 9));
    });
    const place = (trainer: number, call: number): number =>
      heard.findIndex((m) => m.trainer === trainer && m.kind !== "ran" && "call" in m && m.call === call);
    expect(heard[place(1, 3)]).toMatchObject({ kind: "failure", fields: { got: "a run under way" } });
    expect(place(1, 4)).toBeLessThan(place(1, 2));
    const ran = heard.filter(({ kind }) => kind === "ran").map(({ trainer }) => trainer);
    expect(ran.slice(0, 4).sort()).toEqual([1, 1, 2, 2]);
  });

  it("that change where the steps lead are followed by a checkpoint, before their answer", async () => {
    const rate = { trainer: 1, call: 2, kind: "call", method: "setLearningRate", given: [0.5] } as const;
    const heard = await hear([{ trainer: 1, call: 1, ...make }, rate], 2);
    expect(heard.map(({ kind }) => kind)).toEqual(["answer", "kept", "answer"]);
    const restore = { ...rate, method: "restore", given: [kept(heard)[0]?.checkpoint] } as const;
    const again = await hear([{ trainer: 1, call: 1, ...make }, restore], 2);
    expect(again.map(({ kind }) => kind)).toEqual(["answer", "kept", "answer"]);
    expect(hashIn(again)).toMatchObject({ learningRate: "0.5" });
  });

  it("to trainers that are not there, or are gone, are refused", async () => {
    const lost = await hear([step(7, 2)], 2);
    expect(lost).toMatchObject([{ kind: "failure", type: "ValueError", fields: { got: "7" } }]);
    const gone = await hear(
      [
        { trainer: 1, call: 1, ...make },
        { trainer: 1, kind: "dispose" },
        { trainer: 1, call: 2, ...run, howFar: 5 },
      ],
      2,
    );
    expect(gone.at(-1)).toMatchObject({ kind: "failure", type: "ValueError" });
  });
});

// The room that elements keep before they are drawn.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { heightBeside, measuredRoom, roomGrids, type MeasuredRoom } from "../../../web/elements/room.ts";
import measured from "../../../web/elements/rooms.json" with { type: "json" };
import { descriptions } from "../../../web/page/words.mjs";

const { step, widths } = measured;

describe("the measured rooms", () => {
  it("are those of every experiment and element, at every width", () => {
    const elements = [...descriptions().map(({ id }) => id), "stage", "hero", "check"];
    expect(Object.keys(measured.rooms).sort()).toEqual(elements.sort());
    for (const name of elements) {
      const { lines, none, few, all } = measuredRoom(name)!;
      for (const heights of [lines, none, few, all]) expect(heights, name).toHaveLength(widths.length);
      expect(Math.min(...none), name).toBeGreaterThan(0);
      widths.forEach((_, i) => expect(few[i]! >= none[i]! && all[i]! >= few[i]!, name).toBe(true));
    }
    expect(measuredRoom("nonsense")).toBeUndefined();
  });

  it("are picked by the style sheet at the same widths", () => {
    const sheet = readFileSync("web/styles/frame.css", "utf8");
    const picked = sheet.matchAll(
      /@container \(min-width: (\d+)px\) \{\s*\.room-beside \{\s*height: var\(--room-(\d+)\)/g,
    );
    expect([...picked].map(([, width, i]) => [Number(width), Number(i)])).toEqual(
      widths.map((width, i) => [width, i]).slice(1),
    );
  });

  it("name charts that the experiments have", () => {
    for (const { id, words } of descriptions()) {
      if (id === "training_race") continue;
      const names = measuredRoom(id)!.charts.map(({ name }) => name);
      expect(names.length, id).toBeGreaterThan(0);
      expect(words["figures"], id).toEqual(expect.arrayContaining(names));
    }
  });
});

describe("a room", () => {
  const room: MeasuredRoom = {
    lines: widths.map(() => 2),
    none: widths.map(() => 10),
    few: widths.map(() => 20),
    all: widths.map((_, i) => 40 - i),
    charts: [
      { name: "curve", ratio: 1.5, kinds: "", alone: 1.5, count: 1, params: [] },
      { name: "weights", ratio: 1.2, kinds: "", alone: 1.2, count: 3, params: [["d", 3]] },
      { name: "map", ratio: 0.9, kinds: "m", alone: 1, count: 4, params: [] },
    ],
  };
  const none = { charts: [], text: () => null };

  it("is as high as at the next smaller width, with the question's lines", () => {
    const all = { heading: false, controls: "all" } as const;
    expect(heightBeside(room, all, widths[1]! + 1, 16)).toBe(40 * step);
    expect(heightBeside(room, all, 10, 16)).toBe(41 * step);
    expect(heightBeside(room, all, 9999, 16)).toBe((42 - widths.length) * step);
    expect(heightBeside(room, { heading: true, controls: "none" }, 500, 16)).toBeCloseTo(11 * step + 74.4);
    expect(heightBeside(room, { heading: false, controls: "few" }, 500, 20)).toBe(26.25 * step);
  });

  it("has a box for each chart, in grids of their kind", () => {
    const sizes = (given: Parameters<typeof roomGrids>[1]): [boolean, number][] =>
      roomGrids(room, given).map(({ compact, boxes }) => [compact, boxes.length]);
    expect(sizes(none)).toEqual([
      [false, 4],
      [true, 4],
    ]);
    expect(sizes({ ...none, charts: ["weights"] })).toEqual([[false, 3]]);
    expect(sizes({ charts: ["weights"], text: () => "8,32" })).toEqual([[false, 2]]);
    expect(sizes({ charts: ["curve"], text: () => "8,32" })).toEqual([[false, 1]]);
  });

  it("has maps of several names in a grid of their own where they are many, and else among other charts", () => {
    const steps = measuredRoom("attention_steps")!;
    expect(roomGrids(steps, none).map(({ compact }) => compact)).toEqual([true]);
    const chosen = roomGrids(steps, { ...none, charts: ["x", "weights"] });
    expect(chosen.map(({ compact }) => compact)).toEqual([false]);
    for (const { ratio, wide } of chosen[0]!.boxes) {
      expect(ratio).toBeGreaterThan(0.9);
      expect(wide).toBe(false);
    }
    const heads = roomGrids(measuredRoom("multi_head")!, { ...none, charts: ["weights"] });
    expect(heads).toMatchObject([
      { compact: true, boxes: Array.from({ length: 4 }, () => ({ ratio: 0.88 })) },
    ]);
  });
});

// The Python package and its notebook: what Python reads of them, and what its class does.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

interface Cell {
  id: string;
  cell_type: string;
  metadata: object;
  source: string[];
  outputs?: unknown[];
  execution_count?: null;
}
interface Checked {
  project: {
    "build-system"?: { "build-backend": string };
    project?: { name: string; version: string; dependencies: string[] };
    tool?: { hatch: { build: { artifacts: string[] } } };
  };
  notebook: { nbformat: number; nbformat_minor: number; metadata: object; cells: Cell[] };
  version: string;
  esm: string;
  synced: string[];
  before: Record<string, unknown>;
  after: Record<string, string>;
}

const checked = JSON.parse(
  execFileSync("python3", [path("python_check.py"), path("../../../web/recipes/python")], {
    encoding: "utf8",
  }),
) as Checked;

describe("the class Figure", () => {
  test("takes an experiment's parameters as Python has them", () => {
    expect(checked.before).toEqual({
      ...{ experiment: "score_variance", lang: "zh", controls: "few", charts: "" },
      params: { d: "32,128", seed: "7" },
    });
    expect(checked.after).toEqual({ d: "16,64", seed: "7", n_keys: "8" });
  });

  test("shares with the browser what the browser's module reads and writes", () => {
    const module = readFileSync(path("../../../web/embed/anywidget.ts"), "utf8");
    expect(checked.synced).toEqual(["charts", "controls", "experiment", "lang", "params", "result"]);
    for (const name of checked.synced) expect(module).toContain(`"${name}"`);
  });
});

test("the project holds the browser's module", () => {
  const { "build-system": system, project, tool } = checked.project;
  if (!project) return; // Python before 3.11 has no reader of TOML
  expect(system?.["build-backend"]).toBe("hatchling.build");
  expect(project).toMatchObject({ name: "sqrtdk", version: checked.version });
  expect(project.dependencies.map((each) => /^\w+/.exec(each)?.[0])).toEqual(["anywidget"]);
  expect(tool?.hatch.build.artifacts).toEqual([checked.esm]);
});

test("the notebook is valid, and has nothing computed in it", () => {
  const { nbformat, nbformat_minor, cells } = checked.notebook;
  expect([nbformat, nbformat_minor]).toEqual([4, 5]);
  expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
  for (const cell of cells) {
    expect(cell.id).toMatch(/^[\w-]{1,64}$/);
    expect(["markdown", "code"]).toContain(cell.cell_type);
    const keys = ["cell_type", "id", "metadata", "source"];
    const code = ["execution_count", "outputs"];
    expect(Object.keys(cell).sort()).toEqual([...keys, ...(cell.cell_type === "code" ? code : [])].sort());
    if (cell.cell_type === "code") expect([cell.outputs, cell.execution_count]).toEqual([[], null]);
  }
});

/// <reference types="vite/types/importMeta.d.ts" />
// A figure's computation as a program of its own, with the settings that the reader sees.
import type { Description, Labels, Param } from "../../bindings/api/types.ts";

export type CodeKind = "numpy" | "torch" | "cpp";

type Sources = Readonly<Record<string, () => Promise<string>>>;

// Each is fetched when it is asked for.
const programs: Sources = import.meta.glob<string>(["../code/numpy/*.py", "../code/torch/*.py"], {
  query: "?raw",
  import: "default",
});
const parts: Sources = import.meta.glob<string>("../code/lab/*.py", { query: "?raw", import: "default" });
const cpp: Sources = import.meta.glob<string>("../code/cpp/program.cpp", {
  query: "?raw",
  import: "default",
});

/** The kinds of code that there are for an experiment. Times are of the device: no program reproduces them. */
export function codeKinds({ id, timed }: Description): readonly CodeKind[] {
  if (timed) return [];
  const inPython = (["numpy", "torch"] as const).filter((kind) => pathOf(kind, id) in programs);
  return [...inPython, "cpp"];
}

/**
 * A file that computes what the figure shows for `params`, the checked texts of a result; those that are not given
 * have their defaults. Undefined where the experiment has no program of this kind, and for a reader's own file.
 */
export async function codeFor(
  kind: CodeKind,
  description: Description,
  params: Labels,
): Promise<{ name: string; text: string } | undefined> {
  const { id } = description;
  const settings: Setting[] = description.params.map((param) => [param, params[param.name] ?? param.default]);
  const ownFile = settings.some(([{ type }, text]) => type === "file" && text !== "");
  if (!codeKinds(description).includes(kind) || ownFile) return undefined;
  if (kind === "cpp") return { name: `${id}.cpp`, text: await cppProgram(description, settings) };
  const name = kind === "torch" ? `${id}_torch.py` : `${id}.py`;
  const needed = kind === "torch" ? "NumPy and PyTorch" : "NumPy";
  const source = await programs[pathOf(kind, id)]!();
  const head = `# The experiment ${id} of sqrtdk. Run python3 ${name}; it needs ${needed}, nothing else.\n`;
  return { name, text: head + (await pythonProgram(source, settings)) };
}

type Setting = readonly [Param, text: string];

function pathOf(kind: "numpy" | "torch", id: string): string {
  return `../code/${kind}/${id}.py`;
}

// --- Python: a text about it, the settings, and the program with the parts that it imports ------------------

const settingsBlock = /^# The settings\.\n(?:.+\n)*/m;
const importLine = /^(?:import|from) .+\n/gm;

async function pythonProgram(source: string, settings: readonly Setting[]): Promise<string> {
  const block = [
    "# The settings.",
    ...settings.map(([param, text]) => `${param.name} = ${python(param, text)}`),
  ];
  const start = settingsBlock.exec(source)!;
  const program = source.slice(start.index + start[0].length);
  const needed = await partsOf(program);
  const imports = [...needed, program]
    .flatMap((text) => text.match(importLine) ?? [])
    .filter((line) => !line.startsWith("from lab."));
  const bodies = [...needed.map(withoutImports), `# The experiment.\n${withoutImports(program)}`];
  return [
    source.slice(0, start.index).trim(),
    block.join("\n"),
    [...new Set(imports)].sort().join("").trim(),
    `${bodies.join("\n\n\n")}\n`,
  ].join("\n\n");
}

function withoutImports(text: string): string {
  return text.replace(importLine, "").trim();
}

/** The parts that `text` imports, each once and after those that it needs itself. */
async function partsOf(text: string, seen = new Set<string>()): Promise<string[]> {
  const all: string[] = [];
  for (const [, name] of text.matchAll(/^from lab\.(\w+) import/gm)) {
    if (seen.has(name!)) continue;
    seen.add(name!);
    const part = await parts[`../code/lab/${name}.py`]!();
    all.push(...(await partsOf(part, seen)), part);
  }
  return all;
}

/** A parameter's text as a Python literal. What is no number does not get in as one. */
function python(param: Param, text: string): string {
  switch (param.type) {
    case "int":
    case "seed":
    case "real":
      return number(text);
    case "int_list":
      return `[${text.split(",").map(number).join(", ")}]`;
    case "scale_list":
      return param.max_count === undefined ? quoted(text) : `[${text.split(",").map(quoted).join(", ")}]`;
    case "matrix":
      return text === ""
        ? "None"
        : `[${text
            .split(";")
            .map((row) => `[${row.split(",").map(number).join(", ")}]`)
            .join(", ")}]`;
    case "choice":
    case "text":
      return quoted(text);
    case "file":
      return "None";
  }
}

function number(text: string): string {
  if (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(text)) return text;
  throw new RangeError(`a number was expected: ${text}`);
}

/** JSON's strings are Python's too. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

// --- C++: the library's own experiment ----------------------------------------------------------------------

async function cppProgram({ id, question }: Description, settings: readonly Setting[]): Promise<string> {
  const source = await cpp["../code/cpp/program.cpp"]!();
  const lines = settings
    .filter(([{ type }]) => type !== "file")
    .map(([{ name }, text]) => `      {"${name}", ${cppString(text)}},\n`);
  return source
    .replace(/^.*\n/, () => `// ${question}\n`)
    .replaceAll("article_snippet", id)
    .replace(/(?:^ {6}\{".*\},\n)+/m, () => lines.join(""));
}

/** Three octal digits end where they end, whatever follows. */
function cppString(text: string): string {
  const escaped = text.replace(
    /[\0-\x1f"\\\x7f]/g,
    (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, "0")}`,
  );
  return `"${escaped}"`;
}

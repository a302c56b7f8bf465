// What authors copy from the documentation: markup names elements, attributes and experiments that there are; JavaScript
// compiles against the package's types; JSON, YAML, Python and shell are what they say.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HtmlValidate } from "html-validate";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { elementsIn } from "../../../web/page/elements_page.ts";
import { descriptions } from "../../../web/page/words.mjs";
import { shortcodesIn, snippetsIn, tagsIn, type Snippet } from "./snippets.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const built = existsSync(join(root, "build/package/package.json"));
if (!built) console.warn("skipped: build/package is not built (scripts/build)");

const files = [
  ...["en", "zh"].flatMap((language) =>
    ["embed", "recipes"].map((name) => `web/content/${language}/docs/${name}.md`),
  ),
  ...["python", "quarto"].map((name) => `web/recipes/${name}/README.md`),
  "web/recipes/quarto/example.qmd",
];
const snippets = files.flatMap((file) => snippetsIn(readFileSync(join(root, file), "utf8"), file));
const of = (...languages: string[]): Snippet[] =>
  snippets.filter(({ language }) => languages.includes(language));

test("every kind of snippet is checked here", () => {
  const checked = ["html", "js", "jsx", "json", "yaml", "python", "sh", "markdown", "liquid"];
  const known = [...checked, "go-html-template", "bibtex"];
  expect(
    snippets.filter(({ language }) => !known.includes(language) && !language.startsWith("recipe ")),
  ).toEqual([]);
  for (const language of checked) expect(of(language).length, language).toBeGreaterThan(0);
});

describe.skipIf(!built)("markup", () => {
  const manifest = readFileSync(join(root, "web/embed/custom-elements.json"), "utf8");
  const elements = new Map(elementsIn(manifest).map((each) => [each.tagName, each]));
  const experiments = built ? new Map(descriptions().map(({ id, params }) => [id, params])) : new Map();
  const paramsOf = (experiment: string): string[] =>
    ((experiments.get(experiment) ?? []) as { name: string }[]).map(({ name }) => name);
  const hero = ["d", "seed"];

  /** What is wrong with an element's attributes. */
  function problems(name: string, attributes: ReadonlyMap<string, string>): string[] {
    const element = elements.get(name);
    if (!element) return [`<${name}> is no element`];
    const experiment = name === "sqrtdk-race" ? "training_race" : (attributes.get("experiment") ?? "");
    if (
      name === "sqrtdk-figure" &&
      !/\{/.test(experiment) &&
      attributes.size > 0 &&
      !experiments.has(experiment)
    )
      return [`there is no experiment "${experiment}"`];
    const own = (element.attributes ?? []).map((attribute) => attribute.name ?? "");
    const params = name === "sqrtdk-hero" ? hero : /\{/.test(experiment) ? ["d"] : paramsOf(experiment);
    const known = new Set([...own, ...params, "experiment", "lang", "style", "id", "class"]);
    return [...attributes.keys()]
      .filter((each) => !known.has(each))
      .map((each) => `<${name}> has no ${each}`);
  }

  test("names elements, experiments and attributes that there are", () => {
    const found = of("html", "jsx", "liquid", "go-html-template", "markdown").flatMap(({ code, where }) =>
      tagsIn(code).flatMap(({ name, attributes }) =>
        problems(name, attributes).map((problem) => `${where}: ${problem}`),
      ),
    );
    expect(found).toEqual([]);
  });

  test("in shortcodes, too", () => {
    const texts = [
      ...of("markdown"),
      { code: readFileSync(join(root, files.at(-1)!), "utf8"), where: files.at(-1)! },
    ];
    const found = texts.flatMap(({ code, where }) =>
      shortcodesIn(code).flatMap(({ words: [experiment], settings }) => {
        const id = experiment ?? settings.get("experiment") ?? "";
        const name = id === "training_race" ? "sqrtdk-race" : "sqrtdk-figure";
        return problems(name, new Map([["experiment", id], ...settings])).map((each) => `${where}: ${each}`);
      }),
    );
    expect(found).toEqual([]);
  });

  test("is HTML", async () => {
    const validator = new HtmlValidate({
      extends: ["html-validate:standard"],
      rules: { "no-inline-style": "off", "script-element": "off", "void-style": "off" },
    });
    for (const { code, where } of of("html")) {
      const { results } = await validator.validateString(code);
      expect(
        results.flatMap(({ messages }) =>
          messages.map(({ ruleId, message }) => `${where} ${ruleId}: ${message}`),
        ),
      ).toEqual([]);
    }
  });
});

describe.skipIf(!built)("JavaScript", () => {
  test("compiles against the package's types", () => {
    const scripts = of("html").flatMap(({ code, where }) =>
      [...code.matchAll(/<script[^>]*>(.+?)<\/script>/gs)].map(([, body = ""]) => ({ code: body, where })),
    );
    expect(compile([...of("js", "jsx"), ...scripts])).toEqual([]);
  });

  test("that asks for what is not there does not", () => {
    const wrong = [
      'import { load } from "sqrtdk/single";\n(await load()).nonsense;',
      'import { load } from "sqrtdk";\n(await load()).ops.nonsense([1]);',
      'import "sqrtdk/nonsense";',
    ];
    for (const code of wrong) expect(compile([{ code, where: "wrong" }]), code).not.toEqual([]);
  });
});

/** The compiler's messages. Packages that are not installed here are taken on trust. */
function compile(snippets: readonly Pick<Snippet, "code" | "where">[]): string[] {
  const folder = join(root, "build/snippets");
  const ambient = `
    declare module "react"; declare module "svelte"; declare module "vite";
    declare module "@rollup/plugin-node-resolve"; declare module "@web/rollup-plugin-import-meta-assets";
    declare namespace JSX { interface IntrinsicElements { [name: string]: Record<string, unknown> } }`;
  const sources = new Map([[`${folder}/ambient.d.ts`, ambient]]);
  snippets.forEach(({ code }, index) => {
    const imported = code.replace(/"(?:npm:|\.\/node_modules\/)(sqrtdk[\w/.]*?)(\.js)?"/g, '"$1"');
    sources.set(`${folder}/${index}.tsx`, `${imported}\nexport {};\n`);
  });
  const options: ts.CompilerOptions = {
    ...{ strict: true, noImplicitAny: false, noEmit: true, skipLibCheck: true, types: [] },
    ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, jsx: ts.JsxEmit.Preserve },
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noUncheckedSideEffectImports: true,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.esnext.disposable.d.ts"],
    paths: packagePaths(),
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => sources.has(name) || fileExists.call(host, name);
  host.readFile = (name) => sources.get(name) ?? readFile.call(host, name);
  host.getSourceFile = (name, ...rest) => {
    const text = sources.get(name);
    return text === undefined
      ? getSourceFile.call(host, name, ...rest)
      : ts.createSourceFile(name, text, ts.ScriptTarget.ES2022);
  };
  const program = ts.createProgram([...sources.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const index = Number(/(\d+)\.tsx$/.exec(file?.fileName ?? "")?.[1] ?? -1);
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0;
    return `${snippets[index]?.where ?? file?.fileName ?? ""}+${line}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}

/** Each entry of the package that has types. */
function packagePaths(): Record<string, string[]> {
  const { exports } = JSON.parse(readFileSync(join(root, "build/package/package.json"), "utf8")) as {
    exports: Record<string, string | { types?: string }>;
  };
  return Object.fromEntries(
    Object.entries(exports).flatMap(([entry, to]) =>
      typeof to === "object" && to.types
        ? [[`sqrtdk${entry.slice(1)}`, [join(root, "build/package", to.types)]]]
        : [],
    ),
  );
}

test("JSON is JSON, in whatever it stands", () => {
  for (const { code, where } of of("json")) expect(() => JSON.parse(code) as unknown, where).not.toThrow();
  const bodies = of("markdown")
    .flatMap(({ code }) => snippetsIn(code, ""))
    .filter(({ language }) => language.startsWith("{anywidget}"));
  expect(bodies.length).toBeGreaterThan(0);
  for (const { code } of bodies) {
    const { experiment, params } = JSON.parse(code) as { experiment: string; params: object };
    const known = descriptions()
      .find(({ id }) => id === experiment)
      ?.params.map(({ name }) => name);
    expect(known).toEqual(expect.arrayContaining(Object.keys(params)));
  }
});

test("YAML is the simple kind that one can read: keys, lists, and texts", () => {
  const line = /^ *(- )?([\w-]+:( [^\s:#{}[\]"'][^#{}[\]"']*)?)?$|^#/;
  for (const { code, where } of of("yaml"))
    for (const text of code.trimEnd().split("\n")) expect(text, where).toMatch(line);
});

test("Python and shell are read by theirs", () => {
  const python = of("python").map(({ code }) => code);
  execFileSync(
    "python3",
    ["-c", "import ast, json, sys\nfor code in json.load(sys.stdin): ast.parse(code)"],
    {
      input: JSON.stringify(python),
    },
  );
  for (const { code } of of("sh")) execFileSync("bash", ["-n"], { input: code });
});

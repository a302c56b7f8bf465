// Builds build/site: the client with Vite, then every page from its prose and from what the native command
// computes. Needs build/native/bin/sqrtdk, build/wasm, build/workers and build/package. SITE_URL, where the site
// will stand (https://…/), adds canonical and alternate links, and a picture of each page for those who link to it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "vite";
import { folder as papers, withPapers } from "./lib/papers.mjs";
import { picturesIn } from "./lib/pictures.mjs";
import { recipes } from "./lib/recipes.mjs";
import { siteInput } from "./lib/site_input.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const site = join(root, "build/site");
const config = join(root, "web/vite.config.ts");
// Bytes of a first visit, brotli: of the front page, and of a page of the laboratory until its figure is meant.
const budgets = { "": { total: 150e3, script: 60e3 }, lab: { total: 200e3, script: 60e3 } };

// The embed's scripts have a build of their own.
mkdirSync(join(site, "embed"), { recursive: true });
for (const name of [
  ...readdirSync(site),
  ...readdirSync(join(site, "embed")).map((name) => `embed/${name}`),
]) {
  if (name !== "embed" && !/^embed\/.*\.js$/.test(name)) rmSync(join(site, name), { recursive: true });
}

await build({ configFile: config });
const assets = findAssets(join(site, "manifest.json"));

await build({
  configFile: config,
  build: {
    ssr: join(root, "web/page/prerender.ts"),
    outDir: join(root, "build/prerender"),
    emptyOutDir: true,
    manifest: false,
    rolldownOptions: { input: join(root, "web/page/prerender.ts") },
  },
});
const { renderSite } = await import(pathToFileURL(join(root, "build/prerender/prerender.js")));

const address = siteAddress(process.env.SITE_URL);
const pages = renderSite({
  ...(await siteInput(sqrtdk)),
  assets,
  site: address,
  ...(address ? { pictures: pictureMaker() } : {}),
});
const brotli = (data) => brotliCompressSync(data).length;
for (const [path, text] of pages) write(path, text);
const stills = [...pages].filter(([path]) => path.startsWith("recipes/pictures/"));
for (const [path, data] of recipes(stills.map(([path, svg]) => [path.split("/").at(-1), svg])))
  write(path, data);
const files = siteFiles();
const whole = files.reduce((sum, path) => sum + brotli(readFileSync(join(site, path))), 0);
for (const language of Object.keys(assets.vocabularies)) {
  const front = `${language}/index.html`;
  const { html, names } = withPapers(pages.get(front));
  for (const name of names) write(`paper/${name}`, readFileSync(join(papers, name)));
  write(front, html.replace("{size}", `${(whole / 1e6).toFixed(1)} MB`));
}
write("sw.js", serviceWorker());
reportSizes();

function sqrtdk(...args) {
  return JSON.parse(
    execFileSync(process.env.SQRTDK ?? join(root, "build/native/bin/sqrtdk"), [...args, "--json"], {
      maxBuffer: 1 << 28,
    }),
  );
}

/** Says before the first picture where a font is missing. */
function pictureMaker() {
  const looks = { en: picturesIn("en"), zh: picturesIn("zh") };
  return {
    looks,
    add: (name, language, svg) => write(`pictures/${name}-${digest(svg)}.png`, looks[language].draw(svg)),
  };
}

function siteAddress(address) {
  if (!address) return "";
  return new URL(address.endsWith("/") ? address : `${address}/`).href;
}

function findAssets(manifestPath) {
  const manifest = JSON.parse(readFileSync(manifestPath, "utf8"));
  rmSync(manifestPath);
  const entry = (name) => {
    const chunk = Object.values(manifest).find((chunk) => chunk.isEntry && chunk.name === name);
    if (chunk.imports) throw new Error(`${chunk.file} asks for ${chunk.imports.join(", ")}`);
    return chunk;
  };
  const asset = (pattern) => {
    const found = readdirSync(join(site, "assets")).filter((name) => pattern.test(name));
    if (found.length !== 1) throw new Error(`expected one asset ${pattern}, found ${found.length}`);
    return `assets/${found[0]}`;
  };
  const copyOf = (source) => {
    const bytes = readFileSync(join(root, source));
    const found = readdirSync(join(site, "assets")).find((name) =>
      bytes.equals(readFileSync(join(site, "assets", name))),
    );
    if (!found) throw new Error(`${source} is not among the assets`);
    return `assets/${found}`;
  };
  const vocabulary = (language) => manifest[`../content/${language}/vocabulary.json?first`].file;
  const icon = readFileSync(join(root, "web/page/icon.svg"));
  return {
    styles: [asset(/^site-.*\.css$/)],
    vocabularies: { en: vocabulary("en"), zh: vocabulary("zh") },
    wasm: copyOf("build/wasm/first.wasm"),
    early: entry("early").file,
    script: entry("boot").file,
    choose: entry("choose").file,
    frame: entry("frame").file,
    frameStyle: asset(/^frame_style-.*\.css$/),
    icon: write(`assets/icon-${digest(icon)}.svg`, icon),
  };
}

function digest(data) {
  return createHash("sha256").update(data).digest("hex").slice(0, 8);
}

function write(path, data) {
  mkdirSync(dirname(join(site, path)), { recursive: true });
  writeFileSync(join(site, path), data);
  return path;
}

/** All that pages show, by their paths from the site's root: no embed, no paper, nothing for other sites alone. */
function siteFiles() {
  return readdirSync(site, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(site.length + 1))
    .filter(
      (path) => !/^(embed|paper|pictures|recipes)\//.test(path) && !["sw.js", "sitemap.xml"].includes(path),
    )
    .sort();
}

/** With its list, and a digest of all files, so that a browser notices a new version. */
function serviceWorker() {
  const version = digest(files.map((path) => `${path} ${digest(readFileSync(join(site, path)))}`).join("\n"));
  // Folders are asked for as folders: "en/", not "en/index.html".
  const addresses = files.map((path) => path.replace(/(^|\/)index\.html$/, "$1") || "./");
  return readFileSync(join(root, "web/page/service_worker.js"), "utf8").replace(
    "const files = [];",
    `const files = ${JSON.stringify(addresses)}; // ${version}`,
  );
}

function reportSizes() {
  const size = (path) => brotli(readFileSync(join(site, path)));
  const sum = (paths) => paths.reduce((total, path) => total + size(path), 0);
  const largest = {}; // page by room
  for (const [path, text] of pages) {
    const [, language, room = ""] = /^(en|zh)\/(?:(\w+)\/)?(?:\w+\/)?index\.html$/.exec(path) ?? [];
    if (!language) continue;
    const script = [assets.early, assets.script, assets.vocabularies[language]];
    const styles = [...pages.keys()].filter((path) => path.endsWith(".css"));
    const wasm = text.includes("data-wasm=") ? [assets.wasm] : [];
    const other = [path, "sw.js", ...styles, ...assets.styles, ...wasm, assets.icon];
    const sizes = { total: sum([...script, ...other]), script: sum(script) };
    if (!(largest[room]?.sizes.total > sizes.total)) largest[room] = { path, sizes };
  }
  const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
  for (const [room, { path, sizes }] of Object.entries(largest)) {
    const budget = budgets[room] ?? budgets.lab;
    console.log(`first visit of /${path}: ${kb(sizes.total)}, scripts ${kb(sizes.script)} (brotli)`);
    for (const [name, bytes] of Object.entries(sizes))
      if (bytes > budget[name]) throw new Error(`the first visit of /${path} is too large: ${name}`);
  }
  console.log(`the whole site: ${kb(whole)}`);
}

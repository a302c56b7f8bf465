// The site as one works on it: Vite serves the client, and pages are rendered when they are asked for, from what the
// native command computes. A changed file shows at once; changed C++ when it has been compiled.
// usage: node scripts/lib/dev.mjs [--port N]
import { execFileSync, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createServer } from "vite";
import { isolation } from "./serve.mjs";
import { siteInput } from "./site_input.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const path = (relative) => resolve(root, relative);
const fromDisk = (relative) => `@fs${path(relative)}`;

const assets = {
  styles: ["site.css"],
  vocabularies: {
    en: fromDisk("web/content/en/vocabulary.json?first"),
    zh: fromDisk("web/content/zh/vocabulary.json?first"),
  },
  wasm: fromDisk("build/wasm/first.wasm"),
  early: "early.ts",
  script: "boot.ts",
  choose: "choose.ts",
  frame: "frame.ts",
  frameStyle: "frame.css",
  icon: "icon.svg",
};
const types = { html: "text/html", css: "text/css", svg: "image/svg+xml", json: "application/json" };

const results = new Map(); // what the command printed, by its words
function sqrtdk(...words) {
  const key = words.join("\0");
  const options = { maxBuffer: 1 << 28 };
  if (!results.has(key))
    results.set(
      key,
      JSON.parse(execFileSync(path("build/native/bin/sqrtdk"), [...words, "--json"], options)),
    );
  return results.get(key);
}

let pages; // by path; undefined where something has changed
async function render(server) {
  const { renderSite } = await server.ssrLoadModule("/prerender.ts");
  return renderSite({ ...(await siteInput(sqrtdk)), assets, site: "" });
}

async function answer(server, request, response, next) {
  const name = new URL(request.url, "http://localhost").pathname.slice(1).replace(/(^|\/)$/, "$1index.html");
  if (!/^((en|zh)\/(\w+\/)*)?index\.html$|^assets\//.test(name)) return next();
  pages ??= render(server);
  const made = pages;
  try {
    const text = (await made).get(name);
    if (text === undefined) return next();
    const type = types[name.split(".").at(-1)];
    response.writeHead(200, {
      "Content-Type": `${type}; charset=utf-8`,
      "Cache-Control": "no-store",
      ...isolation,
    });
    response.end(type === types.html ? forVite(text) : text);
  } catch (error) {
    if (pages === made) pages = undefined;
    server.ssrFixStacktrace(error);
    next(error);
  }
}

/** With Vite's client, which the page's own policy would refuse; what Vite serves are modules. */
function forVite(html) {
  return html
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")
    .replace(/<script (?=[^>]*data-script=)/, '$&type="module" ')
    .replace("<head>", '<head><script type="module" src="/@vite/client"></script>');
}

let compiling; // the process
let again = false;
function compile(server) {
  if (compiling) {
    again = true;
    return;
  }
  compiling = spawn(path("scripts/build"), ["kernels"], { stdio: "inherit" });
  compiling.once("close", (status) => {
    compiling = undefined;
    if (again) {
      again = false;
      compile(server);
    } else if (status === 0) {
      results.clear();
      pages = undefined;
      void server.restart(); // which also asks the command anew what its experiments say
    }
  });
}

function changed(server) {
  pages = undefined;
  server.environments.client.moduleGraph.invalidateAll(); // words come from prose, too
  server.ws.send({ type: "full-reload" });
}

function watch(server) {
  server.watcher.add(["web", "src", "bindings/embind"].map(path));
  server.watcher.on("all", (_event, file) => {
    const name = relative(root, file);
    if (/^(src|bindings\/embind)\/.*\.(cpp|h|inc)$/.test(name)) compile(server);
    else if (/^web\/.*\.css$/.test(name))
      pages = undefined; // Vite gives open pages the style
    else if (/^(web|bindings)\//.test(name)) changed(server);
  });
}

/** Gives the server once it listens. */
async function start(port) {
  const server = await createServer({
    configFile: path("web/vite.config.ts"),
    appType: "custom",
    cacheDir: path("build/vite-cache/dev"),
    optimizeDeps: { entries: ["boot.ts"] },
    server: {
      host: "127.0.0.1",
      port,
      strictPort: port !== 0,
      headers: isolation,
      fs: { allow: [root, ...["build", "node_modules"].map((name) => realpathSync(path(name)))] },
    },
    plugins: [
      {
        name: "pages",
        configureServer: (server) => {
          watch(server);
          server.middlewares.use((...request) => void answer(server, ...request));
        },
      },
    ],
  });
  return server.listen();
}

const { values } = parseArgs({ options: { port: { type: "string", default: "5173" } } });
const server = await start(Number(values.port));
pages = render(server);
await pages.catch((error) => {
  pages = undefined; // what is wrong is said; it may be mended while the server runs
  server.config.logger.error(error.message);
});
console.log(`sqrtdk is at ${server.resolvedUrls.local[0]}   (Ctrl-C ends it)`);
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    compiling?.kill();
    void server.close().then(() => process.exit(0));
  });
}

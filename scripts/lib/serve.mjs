// A static file server for build/site: right types, brotli or gzip, ETags, nothing outside its folder.
// usage: node scripts/lib/serve.mjs [--root FOLDER] [--port N] [--host ADDRESS]
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".md": "text/markdown; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};
const COMPRESSIBLE = /^(text|application)\/|svg/;

const brotli = promisify(brotliCompress);
const ENCODERS = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  gzip: promisify(gzip),
};

/** Described in serve.d.mts. */
export function serve({
  root,
  base = "/",
  port = 0,
  host = "127.0.0.1",
  mounts = {},
  pages = {},
  transform,
  onRequest,
}) {
  const folders = Object.entries({ ...mounts, [base]: root });
  const cache = new Map(); // "path encoding" -> { version, body }

  function locate(path) {
    for (const [prefix, folder] of folders) {
      if (!path.startsWith(prefix)) continue;
      const file = resolve(folder, path.slice(prefix.length));
      if (file === resolve(folder) || file.startsWith(resolve(folder) + sep)) return file;
    }
    return null;
  }

  async function load(path, file, encoding) {
    const { mtimeMs, size } = await stat(file);
    const version = `${mtimeMs} ${size}`;
    const key = `${path} ${encoding}`;
    let entry = cache.get(key);
    if (entry?.version !== version) {
      let body = await readFile(file);
      const type = TYPES[extname(file)] ?? "application/octet-stream";
      if (transform) body = Buffer.from(transform(path, type, body));
      const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}-${encoding}"`;
      if (encoding !== "identity") body = await ENCODERS[encoding](body);
      entry = { version, type, etag, body };
      cache.set(key, entry);
    }
    return entry;
  }

  async function answer(request, response) {
    if (request.method !== "GET" && request.method !== "HEAD")
      return end(response, 405, { Allow: "GET, HEAD" });
    let path;
    try {
      path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    } catch {
      return end(response, 400);
    }
    onRequest?.(path);
    if (path.includes("\0")) return end(response, 400);
    const page = pages[path];
    if (page) {
      response.writeHead(200, { "Content-Type": page.type, "Cache-Control": "no-store", ...page.headers });
      return response.end(page.body);
    }
    let file = locate(path);
    if (!file) return end(response, 404);
    const found = await stat(file).catch(() => null);
    if (found?.isDirectory()) {
      if (!path.endsWith("/")) return end(response, 301, { Location: encodeURI(path) + "/" });
      file = join(file, "index.html");
    }
    const type = TYPES[extname(file)] ?? "";
    const accepted = request.headers["accept-encoding"] ?? "";
    const encoding = !COMPRESSIBLE.test(type)
      ? "identity"
      : /\bbr\b/.test(accepted)
        ? "br"
        : /\bgzip\b/.test(accepted)
          ? "gzip"
          : "identity";
    const entry = await load(path, file, encoding).catch(() => null);
    if (!entry) return end(response, 404);
    const headers = {
      "Content-Type": entry.type,
      "Cache-Control": "no-cache",
      ETag: entry.etag,
      Vary: "Accept-Encoding",
      "X-Content-Type-Options": "nosniff",
    };
    if (encoding !== "identity") headers["Content-Encoding"] = encoding;
    if (path.startsWith(`${base}embed/`)) headers["Access-Control-Allow-Origin"] = "*";
    if (request.headers["if-none-match"] === entry.etag) return end(response, 304, headers);
    response.writeHead(200, { ...headers, "Content-Length": entry.body.length });
    response.end(request.method === "HEAD" ? undefined : entry.body);
  }

  function end(response, status, headers = {}) {
    if (status >= 400) headers["Content-Type"] = "text/plain; charset=utf-8";
    response.writeHead(status, headers);
    response.end(status >= 400 ? `${status}\n` : undefined);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => end(response, 500));
  });
  return new Promise((ready, refused) => {
    server.once("error", refused);
    server.listen(port, host, () => {
      const { port: bound } = server.address();
      ready({
        port: bound,
        url: `http://${host}:${bound}${base}`,
        close: () =>
          new Promise((closed) => {
            server.close(closed);
            server.closeAllConnections();
          }),
      });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      root: { type: "string", default: "build/site" },
      port: { type: "string", default: "8080" },
      host: { type: "string", default: "127.0.0.1" },
    },
  });
  const port = Number(values.port);
  try {
    const { url, close } = await serve({ root: values.root, port, host: values.host });
    console.log(`sqrtdk is at ${url}   (Ctrl-C ends it)`);
    for (const signal of ["SIGINT", "SIGTERM"]) {
      process.on(signal, () => void close().then(() => process.exit(0)));
    }
  } catch (error) {
    if (error.code !== "EADDRINUSE" && error.code !== "EACCES") throw error;
    const why = error.code === "EACCES" ? "may not be opened by this user" : "is in use";
    console.error(
      `Port ${port} ${why}. Choose another: scripts/demo --port ${port < 8080 ? 8080 : port + 1}`,
    );
    process.exit(1);
  }
}

// A static file server for build/site: sirv finds the files and answers with their versions, compression compresses.
// usage: node scripts/lib/serve.mjs [--root FOLDER] [--port N] [--host ADDRESS]
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { constants } from "node:zlib";
import compression from "compression";
import { lookup } from "mrmime";
import sirv from "sirv";

/** Pages are cross-origin isolated, which threads need, and what they are made of may be part of others' pages. */
export const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "cross-origin",
};

const isText = /^text\/|[/+](json|xml|javascript)$/;

/** Answers requests for the files of `folder`; `next()` where there is none. */
function filesOf(folder, headers) {
  const options = {
    dev: true, // looks at the disk for every request: a build may change the folder
    etag: true,
    setHeaders(response, path) {
      const type = lookup(path) ?? (path.endsWith("/") ? "text/html" : "application/octet-stream");
      response.setHeader("Content-Type", isText.test(type) ? `${type}; charset=utf-8` : type);
      response.setHeader("X-Content-Type-Options", "nosniff");
      if (path.startsWith("/embed/")) response.setHeader("Access-Control-Allow-Origin", "*");
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    },
  };
  const files = sirv(folder, { ...options, extensions: [] });
  const indexes = sirv(folder, { ...options, extensions: ["html"] });
  return (request, response, path, next) => {
    if (path.endsWith("/")) return indexes(request, response, next);
    files(request, response, () => {
      if (!existsSync(join(folder, path, "index.html"))) return next();
      end(response, 301, { Location: `${request.originalUrl}/` });
    });
  };
}

function end(response, status, headers = {}) {
  if (status >= 400) headers["Content-Type"] = "text/plain; charset=utf-8";
  response.writeHead(status, headers);
  response.end(status >= 400 ? `${status}\n` : undefined);
}

/** Described in serve.d.mts. */
export async function serve({
  root,
  base = "/",
  port = 0,
  host = "127.0.0.1",
  mounts = {},
  headers = {},
  quality = 5,
  answer,
  onRequest,
}) {
  const folders = Object.entries({ ...mounts, [base]: root }).map(([prefix, folder]) => [
    prefix,
    filesOf(folder, headers),
  ]);
  const compress = compression({
    threshold: 0,
    brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: quality } },
  });

  function handle(request, response) {
    if (request.method !== "GET" && request.method !== "HEAD")
      return end(response, 405, { Allow: "GET, HEAD" });
    let path;
    try {
      const { pathname } = new URL(request.url, "http://localhost"); // without "..", however written
      path = decodeURI(pathname);
      request.originalUrl = pathname;
    } catch {
      return end(response, 400);
    }
    onRequest?.(path);
    if (path.includes("\0")) return end(response, 400);
    const made = answer?.(path);
    if (made) {
      response.writeHead(200, {
        "Content-Type": made.type,
        "Cache-Control": "no-store",
        ...headers,
        ...made.headers,
      });
      return response.end(made.body);
    }
    const [prefix, files] = folders.find(([prefix]) => path.startsWith(prefix)) ?? [];
    if (!files) return end(response, 404);
    request.url = request.originalUrl.slice(prefix.length - 1);
    files(request, response, path.slice(prefix.length - 1), () => end(response, 404));
  }

  const server = createServer((request, response) => {
    compress(request, response, () => handle(request, response));
  });
  await new Promise((ready, refused) => {
    server.once("error", refused);
    server.listen(port, host, ready);
  });
  const { port: bound } = server.address();
  return {
    port: bound,
    url: `http://${host}:${bound}${base}`,
    close: () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  };
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
    const { url, close } = await serve({ root: values.root, port, host: values.host, headers: isolation });
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

// Serves the pages: files as they are, cross-origin isolated, because browsers coarsen the clock of other pages.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};
const headers = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** `folders`: { "/prefix/": folder }; `answers`: { "/path": bytes }, which may be added to later. */
export function serve(folders, answers) {
  async function body(path) {
    if (answers[path] !== undefined) return answers[path];
    const prefix = Object.keys(folders).find((start) => path.startsWith(start));
    return readFile(join(folders[prefix], normalize(`/${path.slice(prefix.length)}`)));
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    body(path).then(
      (bytes) => {
        const type = types[extname(path)] ?? "application/octet-stream";
        response.writeHead(200, { ...headers, "Content-Type": type }).end(bytes);
      },
      () => response.writeHead(404, headers).end(),
    );
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve({ url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() });
    });
  });
}

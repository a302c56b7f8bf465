import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../../scripts/lib/serve.mjs";

const folder = mkdtempSync(join(tmpdir(), "sqrtdk-serve-"));
const root = join(folder, "site");
let server: { url: string; port: number; close(): Promise<void> };

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Unlike fetch, sends the path as it is. */
function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ port: server.port, host: "127.0.0.1", path, headers, method }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) }),
      );
    })
      .on("error", reject)
      .end();
  });
}

beforeAll(async () => {
  mkdirSync(join(root, "en"), { recursive: true });
  mkdirSync(join(root, "embed"));
  writeFileSync(join(root, "en/index.html"), "<p>en</p>");
  writeFileSync(join(root, "kernels.wasm"), Buffer.from([0, 97, 115, 109]));
  writeFileSync(join(root, "embed/auto.js"), "export {};");
  writeFileSync(join(root, "文 件.txt"), "name");
  writeFileSync(join(folder, "secret.txt"), "secret");
  writeFileSync(join(folder, "site.txt"), "secret"); // begins like the folder
  server = await serve({ root });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test.each([
  ["/en/", "text/html; charset=utf-8"],
  ["/kernels.wasm", "application/wasm"],
  ["/embed/auto.js", "text/javascript; charset=utf-8"],
  ["/%E6%96%87%20%E4%BB%B6.txt", "text/plain; charset=utf-8"],
])("%s is %s", async (path, type) => {
  const { status, headers } = await get(path);
  expect([status, headers["content-type"]]).toEqual([200, type]);
});

test.each([
  "/../secret.txt",
  "/%2e%2e/secret.txt",
  "/..%2fsecret.txt",
  "/en/../../secret.txt",
  "/../site.txt",
  "//etc/passwd",
  "/en/%00",
  "/%",
  "/none",
])("nothing outside the folder: %s", async (path) => {
  const { status, body } = await get(path);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(body.toString()).not.toContain("secret");
});

test("compresses as the browser asks, and names its version", async () => {
  const br = await get("/en/", { "accept-encoding": "gzip, br" });
  expect(br.headers["content-encoding"]).toBe("br");
  expect(brotliDecompressSync(br.body).toString()).toBe("<p>en</p>");
  const zip = await get("/en/", { "accept-encoding": "gzip" });
  expect(gunzipSync(zip.body).toString()).toBe("<p>en</p>");
  const again = await get("/en/", {
    "accept-encoding": "gzip, br",
    "if-none-match": String(br.headers.etag),
  });
  expect([again.status, again.body.length]).toEqual([304, 0]);
  writeFileSync(join(root, "en/index.html"), "<p>changed</p>");
  const changed = await get("/en/", { "if-none-match": String(br.headers.etag) });
  expect(changed.body.toString()).toBe("<p>changed</p>");
});

test("only the embed may be fetched from other origins; folders get their slash; POST is refused", async () => {
  expect((await get("/embed/auto.js")).headers["access-control-allow-origin"]).toBe("*");
  expect((await get("/kernels.wasm")).headers["access-control-allow-origin"]).toBeUndefined();
  const { status, headers } = await get("/en");
  expect([status, headers.location]).toEqual([301, "/en/"]);
  expect((await get("/en/", {}, "POST")).status).toBe(405);
  expect((await get("/en/", {}, "HEAD")).body.length).toBe(0);
});

test("a port in use is said, with another one to try", async () => {
  const child = spawn(process.execPath, [
    "scripts/lib/serve.mjs",
    "--root",
    root,
    "--port",
    String(server.port),
  ]);
  let said = "";
  child.stderr.on("data", (text: Buffer) => (said += text.toString()));
  const status = await new Promise((resolve) => child.once("exit", resolve));
  expect(status).toBe(1);
  expect(said).toContain(`Port ${server.port} is in use`);
  expect(said).toContain("--port");
});

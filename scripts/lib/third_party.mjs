// What of others is in the package: their licences as text, and the list of components (CycloneDX).
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { path } from "./bundle.mjs";

const json = (file) => JSON.parse(readFileSync(path(file), "utf8"));

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const llvmException = `Licensed under the Apache License, Version 2.0, with LLVM Exceptions:

As an exception, if, as a result of your compiling your source code, portions of this Software are embedded into an
Object form of such source code, you may redistribute such embedded portions in such Object form without complying with
the conditions of Sections 4(a), 4(b) and 4(d) of the License.`;

/** What the compiler links into every WebAssembly module; all come with Emscripten. */
const runtime = [
  {
    name: "emscripten",
    holds: "Embind, emmalloc and the modules' scripts",
    licence: "MIT",
    text: `Copyright (c) 2010-2014 Emscripten authors\n\n${mit}`,
  },
  {
    name: "musl",
    holds: "the C library",
    licence: "MIT",
    text: `Copyright © 2005-2020 Rich Felker, et al.\n\n${mit}`,
  },
  {
    name: "llvm",
    holds: "libc++, libc++abi, libunwind and compiler-rt",
    licence: "Apache-2.0 WITH LLVM-exception",
    text: llvmException,
  },
];

/** The packages from which the modules of a bundle come. */
export function packagesOf(output) {
  const ids = output.flatMap(({ moduleIds = [] }) => moduleIds);
  return ids.flatMap((id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []);
}

/** Everything of others, by name; `packages` are names of npm packages, as often as they come. */
export function thirdParty(packages) {
  const version = /\d+\.\d+\.\d+/.exec(execFileSync("emcc", ["--version"], { encoding: "utf8" }))[0];
  const lock = json("package-lock.json").packages;
  const bundled = [...new Set(packages)].sort().map((name) => {
    const { version, license } = json(`node_modules/${name}/package.json`);
    const text = readFileSync(path(`node_modules/${name}/LICENSE`), "utf8").trim();
    const [, digest] = lock[`node_modules/${name}`].integrity.split("sha512-");
    const sha512 = Buffer.from(digest, "base64").toString("hex");
    return { name, version, licence: license, text, sha512 };
  });
  return [...runtime.map((each) => ({ ...each, version })), ...bundled];
}

export function licencesText(parts) {
  const heading = ({ name, version, holds, licence }) =>
    `${name} ${version}${holds ? ` (${holds})` : ""}: ${licence}`;
  const list = parts.map((part) => `- ${heading(part)}`).join("\n");
  const texts = parts.map((part) => `${"=".repeat(80)}\n${heading(part)}\n\n${part.text}\n`).join("\n");
  return `What of others is in this package.\n\n${list}\n\n${texts}`;
}

/** CycloneDX 1.6, without a date or a number of its own: equal packages have equal lists. */
export function billOfMaterials({ name, version, license }, parts) {
  const reference = (name, version) => `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const licenses = (licence) =>
    licence.includes(" ") ? [{ expression: licence }] : [{ license: { id: licence } }];
  const components = parts.map(({ name, version, holds, licence, sha512 }) => {
    const purl = holds ? `pkg:generic/${name}@${version}` : reference(name, version);
    return {
      type: "library",
      "bom-ref": purl,
      name,
      ...(name === "emscripten" || !holds ? { version } : { description: `as of Emscripten ${version}` }),
      ...(sha512 ? { hashes: [{ alg: "SHA-512", content: sha512 }] } : {}),
      licenses: licenses(licence),
      purl,
    };
  });
  const ref = reference(name, version);
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "library", "bom-ref": ref, name, version, licenses: licenses(license), purl: ref },
    },
    components,
    dependencies: [{ ref, dependsOn: components.map((component) => component["bom-ref"]) }],
  };
}

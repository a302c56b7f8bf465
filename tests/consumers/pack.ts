// Before the consumers' tests: what `npm pack` makes of build/package, unpacked as an installation would.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

export const folder = resolve("build/consumers");
/** What was published, unpacked. */
export const published = join(folder, "package");

/** The file that `npm pack` made. */
export function tarball(): string {
  const name = readdirSync(folder).find((each) => each.endsWith(".tgz"));
  if (!name) throw new Error(`nothing is packed in ${folder}`);
  return join(folder, name);
}

/** Unpacks what was published into `place`. */
export function unpack(place: string): void {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  execFileSync("tar", ["-xzf", tarball(), "-C", place, "--strip-components=1"]);
}

export default function pack(): void {
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) if (name.endsWith(".tgz")) rmSync(join(folder, name));
  execFileSync("npm", ["pack", resolve("build/package"), "--pack-destination", folder, "--silent"]);
  unpack(published);
}

// put_table.mjs FILE NAME --update|--check <TEXT: what stands between <!-- NAME --> and <!-- /NAME --> in a Markdown file
// becomes this text, or has to be it.
import { readFileSync, writeFileSync } from "node:fs";
import { format, resolveConfig } from "prettier";

const [file, name, mode] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
const pattern = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
if (!pattern.test(text)) throw new Error(`${file} has no <!-- ${name} --> .. <!-- /${name} -->`);
const table = readFileSync(0, "utf8").trim();
const whole = text.replace(pattern, (_, before, after) => `${before}\n${table}\n\n${after}`);
const wanted = await format(whole, { ...(await resolveConfig(file)), filepath: file });
if (mode === "--update") writeFileSync(file, wanted);
else if (wanted !== text) {
  console.error(
    `${file}: its ${name} is not what was computed; the command that computes it puts it right with --update`,
  );
  process.exit(1);
}

// put_table.mjs FILE NAME <TEXT: replaces what stands between <!-- NAME --> and <!-- /NAME --> in a Markdown file.
import { readFileSync, writeFileSync } from "node:fs";
import { format } from "prettier";

const [file, name] = process.argv.slice(2);
const text = readFileSync(file, "utf8");
const pattern = new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- /${name} -->)`);
if (!pattern.test(text)) throw new Error(`${file} has no <!-- ${name} --> .. <!-- /${name} -->`);
const table = readFileSync(0, "utf8").trim();
const whole = text.replace(pattern, (_, before, after) => `${before}\n${table}\n${after}`);
writeFileSync(file, await format(whole, { filepath: file, printWidth: 110 }));

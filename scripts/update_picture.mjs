#!/usr/bin/env node
// Writes web/page/picture.svg, the README's picture, from what the native command computes: the weights of
// eight keys for growing d, scaled and unscaled, from the same draws.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const dims = [8, 32, 128, 512];
const words = ["run", "article_snippet", "--draws", "paired", "--seed", "0", "--d", dims.join(","), "--json"];
const { figures } = JSON.parse(execFileSync(path("build/native/bin/sqrtdk"), words, { encoding: "utf8" }));

const [left, top, panel, gap, height] = [150, 34, 128, 18, 96];
const rows = [
  { name: "scaled", label: "softmax(q·k / √d)", style: 'fill="#0072B2"' },
  { name: "unscaled", label: "softmax(q·k)", style: 'fill="url(#hatch)" stroke="#D55E00"' },
];
const width = left + dims.length * (panel + gap);
const base = (row) => top + (row + 1) * (height + 22) - 22;

const parts = [];
rows.forEach((row, r) => {
  const colour = row.name === "scaled" ? "#0072B2" : "#B34D00";
  parts.push(`<text x="12" y="${base(r) - 6}" fill="${colour}">${row.label}</text>`);
  figures.forEach((figure, f) => {
    const { y } = figure.series.find(({ name }) => name === row.name);
    const x0 = left + f * (panel + gap);
    const step = panel / y.length;
    parts.push(`<path d="M${x0} ${base(r)}h${panel}" stroke="#777"/>`);
    y.forEach((weight, i) => {
      const h = (weight * height).toFixed(2);
      const x = (x0 + i * step + 2).toFixed(2);
      const at = `x="${x}" y="${(base(r) - h).toFixed(2)}" width="${step - 4}" height="${h}"`;
      parts.push(`<rect ${at} ${row.style}/>`);
    });
    if (r === 0) parts.push(`<text x="${x0}" y="20" fill="#1c1c1c">d = ${dims[f]}</text>`);
  });
});

writeFileSync(
  path("web/page/picture.svg"),
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${base(1) + 12}" font-family="Georgia, serif" font-size="14">
<title>Attention weights of eight keys at d = ${dims.join(", ")}: divided by √d they stay spread out, undivided they collapse onto one key</title>
<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" fill="#fff"/><path d="M0 0v5" stroke="#D55E00" stroke-width="4"/></pattern></defs>
<rect width="100%" height="100%" fill="#fdfcfa"/>
${parts.join("\n")}
</svg>
`,
);

// What the pages' pictures are set with and drawn by: fonts, colours, and a rasterizer. The Latin fonts are packages; Chinese
// ones are a machine's, because they are ten times as large as all packages together.
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import { openSync } from "fontkit";
import { chartLook } from "./stylesheet.mjs";

const packages = fileURLToPath(new URL("../../node_modules/@expo-google-fonts", import.meta.url));
const serif = (style) => join(packages, `source-serif-4/${style}/SourceSerif4_${style}.ttf`);
const sans = (style) => join(packages, `source-sans-3/${style}/SourceSans3_${style}.ttf`);
const latin = "Source Sans 3";
const latinSans = [sans("400Regular"), sans("600SemiBold")];
// As setup looks for them.
const folders = [
  "/usr/share/fonts",
  "/usr/local/share/fonts",
  ".local/share/fonts",
  ".fonts",
  "Library/Fonts",
];
const chineseSans = ["NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"];
const chineseSerif = ["NotoSerifCJK-Regular.ttc", "NotoSerifCJK-Bold.ttc"];

let found;
/** The files of Noto CJK by their names. */
function chineseFonts() {
  if (found) return found;
  found = new Map();
  for (const folder of folders.map((each) => (each.startsWith("/") ? each : join(homedir(), each)))) {
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (/^Noto(Sans|Serif)CJK-/.test(file.name)) found.set(file.name, join(file.parentPath, file.name));
    }
  }
  return found;
}

export function hasChineseFonts() {
  return [...chineseSans, ...chineseSerif].every((name) => chineseFonts().has(name));
}

function chineseFont(name) {
  const path = chineseFonts().get(name);
  if (path) return path;
  throw new Error(
    `The pictures of the Chinese pages need the font ${name}: install Debian's package fonts-noto-cjk, ` +
      "or build without SITE_URL, which leaves the pictures out.",
  );
}

const faces = new Map();
function face(path, name) {
  if (!faces.has(path)) faces.set(path, openSync(path, name));
  return faces.get(path);
}
const chineseFace = (name) => face(chineseFont(name), name.replace(/^(Noto\w+CJK)-(\w+)\.ttc$/, "$1sc-$2"));

export function picturesIn(language) {
  const chinese = language === "zh";
  const others = latinSans.map((path) => face(path)); // for the few signs that Source Serif has not
  const set = (style, name) => [face(serif(style)), ...(chinese ? [chineseFace(name)] : []), ...others];
  const title = (style) => set(style, "NotoSerifCJK-Bold.ttc");
  const look = chartLook(language, chinese ? "Noto Sans CJK SC" : latin);
  const fontFiles = [...(chinese ? chineseSans.map(chineseFont) : []), ...latinSans];
  return {
    faces: {
      title: { upright: title("600SemiBold"), italic: title("600SemiBold_Italic") },
      text: set("400Regular", "NotoSerifCJK-Regular.ttc"),
      chart: [...(chinese ? chineseSans.map(chineseFace) : []), ...others],
    },
    look: { ...look, signs: latin },
    draw: (svg) => new Resvg(svg, { font: { loadSystemFonts: false, fontFiles } }).render().asPng(),
  };
}

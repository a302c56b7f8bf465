#!/usr/bin/env node
// Writes web/elements/rooms.json, the room that embedded elements keep before they are drawn: measures them, with their
// default settings, at several widths in Chromium. Needs scripts/build.
// usage: scripts/update_rooms.mjs [NAME...]     only these experiments or elements; the others stay as they are
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import puppeteer from "puppeteer-core";
import { descriptions } from "../web/page/words.mjs";
import { chromiumFlags, findBrowser } from "./lib/browsers.mjs";
import { serve } from "./lib/serve.mjs";

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const file = path("web/elements/rooms.json");
const before = JSON.parse(readFileSync(file, "utf8"));
const widths = [280, 360, 420, 545, 640, 720, 800];
const step = 28; // pixels
const line = 31.2; // of the question, in pixels

const figures = descriptions().filter(({ id }) => id !== "training_race");
const elements = {
  ...Object.fromEntries(
    figures.map(({ id }) => [id, { tag: "sqrtdk-figure", attributes: { experiment: id } }]),
  ),
  training_race: { tag: "sqrtdk-race", attributes: {} },
  stage: { tag: "sqrtdk-race", attributes: { stage: "" } },
  hero: { tag: "sqrtdk-hero", attributes: {} },
  check: { tag: "sqrtdk-check", attributes: {} },
};
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(elements);

/** In the page: heights at each width in each look, and the charts. */
async function measure({ tag, attributes }, lang, widths, params) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const box = document.createElement("div");
  const element = document.createElement(tag);
  for (const [name, text] of Object.entries({ ...attributes, lang })) element.setAttribute(name, text);
  box.append(element);
  document.body.replaceChildren(box);
  const find = (selector) => element.shadowRoot?.querySelector(selector);
  const isFigure = tag === "sqrtdk-figure";
  while (!find(isFigure ? '.alive .figure-output[aria-busy="false"] .verdict' : ".alive")) await frame();
  const whole = find(".frame");
  const height = (part) => part?.getBoundingClientRect().height ?? 0;
  const grids = () => [
    ...element.shadowRoot.querySelectorAll(isFigure ? ".figure-output > .charts" : "nothing"),
  ];
  const found = { lines: [], none: [], few: [], all: [], charts: [] };
  for (const controls of isFigure ? ["none", "few", "all"] : ["all"]) {
    element.setAttribute("controls", controls);
    for (const width of widths) {
      box.style.width = `${width}px`;
      whole.style.minHeight = "";
      await frame();
      const heading = height(find(".figure-question"));
      if (controls === "all") found.lines.push(heading);
      const rest =
        height(whole) - (heading && heading + 12) - grids().reduce((sum, grid) => sum + height(grid), 0);
      found[controls].push(rest);
    }
  }
  let index = 0;
  const ratioOf = (chart) => {
    const { width, height } = chart.querySelector(".chart-svg").viewBox.baseVal;
    return Math.round((100 * width) / height);
  };
  for (const grid of grids()) {
    for (const chart of grid.querySelectorAll(".chart")) {
      const { name, at } = element.result.figures[index++];
      const kinds = [grid.matches(".charts-maps") && "m", chart.matches(".chart-wide") && "w"]
        .filter(Boolean)
        .join("");
      found.charts.push({ name, at, ratio: ratioOf(chart), kinds });
    }
  }
  for (const chart of found.charts.filter(({ kinds }) => kinds.includes("m"))) {
    element.setAttribute("charts", chart.name);
    await frame();
    const [grid] = grids();
    if (!grid.matches(".charts-maps")) chart.kinds += ratioOf(grid);
  }
  found.params = Object.fromEntries(params.map((name) => [name, element.result?.params[name] ?? ""]));
  return found;
}

/** As web/elements/room.ts reads them: "name/ratio/kinds/count/setting=values…", the kinds with the ratio alone, without what is usual at the end. */
function chartTexts({ charts, params }) {
  const kindOf = ({ name, ratio, kinds }) => [name, ratio === 150 ? "" : ratio, kinds].join("/");
  const texts = [];
  while (charts.length > 0) {
    const kind = kindOf(charts[0]);
    const end = charts.findIndex((chart) => kindOf(chart) !== kind);
    const run = charts.splice(0, end < 0 ? charts.length : end);
    const lists = Object.entries(params).flatMap(([name, text]) => {
      const values = new Set(run.map(({ at }) => at[name]));
      const count = text.split(",").length;
      return !values.has(undefined) && values.size === count ? [`${name}=${count}`] : [];
    });
    texts.push([kind, run.length > 1 ? run.length : "", ...lists].join("/").replace(/\/+$/, ""));
  }
  return texts;
}

/** A digit of base 36 for each number. */
function digits(numbers) {
  if (numbers.some((number) => number < 0 || number > 35)) throw new Error(`no digits: ${numbers}`);
  return numbers.map((number) => number.toString(36)).join("");
}

const { url, close } = await serve({ root: path("build/site") });
const browser = await puppeteer.launch({
  executablePath: findBrowser("chromium"),
  args: chromiumFlags,
  protocolTimeout: 600_000,
});
const page = await browser.newPage();
await page.setViewport({ width: 1000, height: 900 });
await page.goto(`${url}embed/nowhere`);
await page.setContent(`<script type="module" src="${url}embed/sqrtdk.auto.js"></script>`);
const rooms = { ...before.rooms };
for (const name of names) {
  const lists = figures.find(({ id }) => id === name)?.params.filter(({ type }) => /_list$/.test(type)) ?? [];
  const measured = [];
  for (const lang of ["en", "zh"])
    measured.push(
      await page.evaluate(
        measure,
        elements[name],
        lang,
        widths,
        lists.map((param) => param.name),
      ),
    );
  const most = (look) => widths.map((_, i) => Math.max(...measured.map((one) => one[look][i] ?? 0)));
  const steps = (look) => most(look).map((pixels) => Math.ceil((pixels - 0.5) / step));
  const isFigure = elements[name].tag === "sqrtdk-figure";
  const looks = isFigure ? ["none", "few", "all"].map(steps) : [steps("all")];
  const added = looks.map((heights, i) => heights.map((height, k) => height - (looks[i - 1]?.[k] ?? 0)));
  const lines = most("lines").map((pixels) => Math.max(0, Math.round((pixels - 0.5) / line)));
  rooms[name] = `${[lines, ...added].map(digits).join(" ")}|${chartTexts(measured[0]).join(" ")}`;
  console.log(name);
}
await browser.close();
await close();
const sorted = Object.fromEntries(
  Object.keys(elements)
    .filter((name) => rooms[name])
    .map((name) => [name, rooms[name]]),
);
const options = { ...(await resolveConfig(file)), parser: "json" };
writeFileSync(file, await format(JSON.stringify({ step, widths, rooms: sorted }), options));

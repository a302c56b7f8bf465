// The page for authors, alive: the chosen figure stands in the preview with its own controls, every recipe follows it, and
// the address holds the choice. Without it the page shows the recipes of one figure.
import { saveAs } from "../elements/exports.ts";
import type { SqrtdkElement } from "../elements/base_element.ts";
import type { UrlStore } from "../state/url_store.ts";
import { languageOf, type Language } from "../words/vocabulary.ts";
import type { Catalogue, Embeddable } from "./catalogue.ts";
import { changed, lookDefaults, lookTexts, readLook, type Choice, type Look } from "./choice.ts";
import { elementOf, recipe, type RecipeKind } from "./recipes.ts";

/** Its name in the page's address. */
const name = "embed";

/** Makes the class of an element known that this page did not begin with. */
export type Definer = (tag: string) => void;

export async function startBuilder(store: UrlStore, define: Definer): Promise<void> {
  const form = document.querySelector<HTMLFieldSetElement>(".builder");
  const address = form?.dataset["catalogue"];
  if (!form || !address) return;
  const answer = await fetch(new URL(address, document.baseURI));
  new Builder(form, (await answer.json()) as Catalogue, store, define).start();
}

class Builder {
  readonly #form: HTMLFieldSetElement;
  readonly #catalogue: Catalogue;
  readonly #store: UrlStore;
  readonly #define: Definer;
  readonly #preview = document.querySelector<HTMLElement>(".builder-preview")!;
  readonly #site: string;
  readonly #defaults: Record<string, string>;
  readonly #language: Language = languageOf(document.documentElement.lang);
  #look: Look;
  #shown: string; // the figure in the preview
  #frame = 0;

  constructor(form: HTMLFieldSetElement, catalogue: Catalogue, store: UrlStore, define: Definer) {
    this.#form = form;
    this.#catalogue = catalogue;
    this.#store = store;
    this.#define = define;
    this.#site = new URL(form.dataset["root"] ?? "", document.baseURI).href;
    this.#shown = form.dataset["figure"] ?? "";
    this.#defaults = lookDefaults(this.#shown, this.#language);
    this.#look = this.#read();
  }

  start(): void {
    this.#form.hidden = false;
    this.#form.addEventListener("change", (event) => this.#choose(event.target as HTMLInputElement));
    for (const event of ["result", "change", "input", "click"])
      this.#preview.addEventListener(event, () => this.#later(), true); // "result" does not bubble
    new ResizeObserver(() => this.#later()).observe(this.#preview);
    this.#store.subscribe(() => {
      this.#look = this.#read();
      this.#show();
    });
    document.querySelector(".builder-save")?.addEventListener("click", () => void this.#save());
    this.#show();
  }

  get #known(): Embeddable {
    return this.#catalogue[this.#look.figure]!;
  }

  /** The figure in the preview; null while another is on its way. */
  get #element(): SqrtdkElement | null {
    if (this.#preview.ariaBusy === "true") return null;
    return this.#preview.querySelector("sqrtdk-figure, sqrtdk-race, sqrtdk-hero");
  }

  #read(): Look {
    const { texts } = this.#store.read(name, this.#defaults);
    return readLook(texts, new Set(Object.keys(this.#catalogue)), this.#defaults);
  }

  /** The reader set one of the form's controls. */
  #choose(field: HTMLInputElement | HTMLSelectElement): void {
    const texts: Record<string, string> = {};
    for (const select of this.#form.querySelectorAll("select")) texts[select.name] = select.value;
    const charts = [...this.#form.querySelectorAll("input")]
      .filter((box) => box.checked)
      .map((box) => box.value);
    const all = charts.length === this.#known.charts.length || field.name === "figure";
    texts["charts"] = all ? "" : charts.join(",");
    this.#look = readLook(texts, new Set(Object.keys(this.#catalogue)), this.#defaults);
    this.#store.write(name, lookTexts(this.#look), this.#defaults, field.name);
    this.#show();
  }

  #show(): void {
    this.#fill();
    if (this.#look.figure === this.#shown) this.#dress();
    else void this.#bring(this.#look.figure);
    this.#later();
  }

  /** The form's controls as the choice has them. */
  #fill(): void {
    const { figure, controls, theme, lang, charts } = this.#look;
    const values: Record<string, string> = { figure, controls, theme, lang };
    for (const select of this.#form.querySelectorAll("select")) select.value = values[select.name] ?? "";
    const box = this.#form.querySelector<HTMLFieldSetElement>(".builder-charts")!;
    const known = this.#known.charts;
    box.hidden = known.length < 2;
    if (box.dataset["of"] !== figure) {
      box.dataset["of"] = figure;
      box.querySelectorAll("label").forEach((label) => label.remove());
      box.append(...known.map(([chart, title]) => checkbox(chart, title)));
    }
    for (const input of box.querySelectorAll("input"))
      input.checked = charts.length === 0 || charts.includes(input.value);
  }

  /** Puts the figure into the preview as its own page has it printed. */
  async #bring(figure: string): Promise<void> {
    this.#shown = figure;
    const page = new URL(this.#known.page, new URL("..", document.baseURI));
    const tag = elementOf(figure);
    this.#preview.ariaBusy = "true";
    const printed = await printedIn(page, tag).catch(() => bare(tag, figure));
    if (this.#shown !== figure) return; // another was chosen meanwhile
    this.#preview.ariaBusy = "false";
    printed.querySelectorAll("template, .chart-note").forEach((said) => said.remove()); // the page's own words
    this.#define(tag);
    this.#preview.replaceChildren(printed);
    this.#dress();
    this.#later();
  }

  #dress(): void {
    const element = this.#element;
    if (!element) return;
    const { controls, charts, theme, lang } = this.#look;
    set(element, "controls", controls === "all" ? "" : controls);
    set(element, "charts", charts.join(","));
    set(element, "lang", lang);
    this.#paint(theme);
  }

  #paint(theme: string): void {
    this.#preview.dataset["theme"] = theme;
    const { themes } = this.#form.dataset;
    if (!theme || !themes) return;
    delete this.#form.dataset["themes"]; // asked for
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href: themes });
    document.head.append(link);
  }

  #later(): void {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#write();
    });
  }

  /** The recipes as the figure is now. */
  #write(): void {
    const choice = this.#choice();
    const isDefault = Object.keys(choice.params).length === 0;
    const element = this.#element;
    const living = element?.stale === false ? element.result?.hash : undefined;
    const around = {
      site: this.#site,
      title: this.#known.titles[choice.lang],
      hash: living ?? (isDefault ? this.#known.hash : ""),
      height: Math.ceil((this.#preview.offsetHeight + 32) / 10) * 10,
    };
    for (const box of document.querySelectorAll<HTMLElement>("[data-recipe]")) {
      const code = box.querySelector("code")!;
      const text = recipe(box.dataset["recipe"] as RecipeKind, choice, around);
      if (code.textContent !== text) code.textContent = text;
    }
    const save = document.querySelector<HTMLButtonElement>(".builder-save");
    if (save) save.hidden = this.#charts().length === 0;
  }

  #choice(): Choice {
    const { defaults } = this.#known;
    const { texts } = this.#store.read(this.#look.figure, defaults);
    return { ...this.#look, params: changed(texts, defaults) };
  }

  #charts(): SVGSVGElement[] {
    return [...this.#preview.querySelectorAll<SVGSVGElement>(".chart-svg")];
  }

  async #save(): Promise<void> {
    const element = this.#element;
    if (!element) return;
    if (!element.result) {
      const computed = new Promise((done) => element.addEventListener("result", done, { once: true }));
      await computed;
    }
    if (element.result) await saveAs("png", element.result, this.#charts());
  }
}

/** Without a network: it draws itself. */
function bare(tag: string, experiment: string): HTMLElement {
  const element = document.createElement(tag);
  element.setAttribute("experiment", experiment);
  element.setAttribute("prerendered", "");
  return element;
}

function set(element: HTMLElement, attribute: string, text: string): void {
  if (text === "") element.removeAttribute(attribute);
  else if (element.getAttribute(attribute) !== text) element.setAttribute(attribute, text);
}

function checkbox(value: string, title: string): HTMLLabelElement {
  const label = document.createElement("label");
  const input = document.createElement("input");
  Object.assign(input, { type: "checkbox", name: "charts", value });
  label.append(input, ` ${title}`);
  return label;
}

/** The first element of this tag in a page of the site. The browser's own parser of documents needs no policy. */
function printedIn(page: URL, tag: string): Promise<HTMLElement> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", page);
    request.responseType = "document";
    request.addEventListener("error", () => reject(new Error(page.href)));
    request.addEventListener("load", () => {
      const found = request.responseXML?.querySelector<HTMLElement>(tag);
      if (!found) {
        reject(new Error(page.href));
        return;
      }
      const result = found.getAttribute("result"); // an address from its page
      if (result !== null) found.setAttribute("result", new URL(result, page).href);
      resolve(document.adoptNode(found));
    });
    request.send();
  });
}

// What a reader guesses before looking: kept on this device, shown beside the answer, and in a link that carries all.
import type { UrlStore } from "../state/url_store.ts";

const place = "sqrtdk.guesses";
/** In the page's address: "#guess&guess.NAME=text". */
const element = "guess";

type Guesses = Record<string, string>;

/** `storage` may be refused, or hold what somebody else wrote. */
export function readGuesses(storage: () => Storage): Guesses {
  try {
    const kept: unknown = JSON.parse(storage().getItem(place) ?? "{}");
    if (typeof kept !== "object" || kept === null) return {};
    return Object.fromEntries(
      Object.entries(kept).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return {};
  }
}

function keepGuesses(guesses: Guesses): void {
  try {
    localStorage.setItem(place, JSON.stringify(guesses));
  } catch {
    // Refused: the guesses live as long as the page.
  }
}

/** Brings the page's guesses and their table to life. */
export function offerGuesses(store: UrlStore): void {
  const boxes = [...document.querySelectorAll<HTMLElement>(".guess")];
  const table = document.querySelector<HTMLElement>(".guesses");
  if (boxes.length === 0) return;
  const guesses = readGuesses(() => localStorage);
  const name = (box: HTMLElement): string => box.dataset["guess"] ?? "";
  const none = Object.fromEntries(boxes.map((box) => [name(box), ""]));
  const show = (): void => {
    const linked = store.has(element) ? store.read(element, none).texts : {};
    for (const box of boxes) showGuess(box, guesses[name(box)] ?? "");
    for (const cell of table?.querySelectorAll<HTMLElement>("[data-guess]") ?? []) {
      const box = boxes.find((each) => name(each) === cell.dataset["guess"]);
      const text = linked[cell.dataset["guess"] ?? ""] || guesses[cell.dataset["guess"] ?? ""] || "";
      cell.textContent = (box && wordsOf(box, text)) || "–";
    }
  };
  for (const box of boxes) {
    box.addEventListener("input", () => {
      guesses[name(box)] = valueOf(box);
      keepGuesses(guesses);
      show();
    });
  }
  const button = table?.querySelector("button");
  if (button && "clipboard" in navigator) {
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener("click", () => {
      const link = store.link(element, guesses, none) ?? location.href;
      const said = (text: string): void => void (button.textContent = text);
      navigator.clipboard.writeText(link).then(
        () => {
          said(button.dataset["copied"] ?? label);
          setTimeout(said, 2000, label);
        },
        () => void (location.hash = new URL(link).hash), // refused: the address bar has it
      );
    });
  }
  store.subscribe(show);
  show();
}

const fieldsOf = (box: HTMLElement): HTMLInputElement[] => [...box.querySelectorAll("input")];

function valueOf(box: HTMLElement): string {
  const field = fieldsOf(box).find(({ type, checked }) => type !== "radio" || checked);
  return field?.value ?? "";
}

/** As a sentence says it: a choice by its label. */
function wordsOf(box: HTMLElement, text: string): string {
  const field = fieldsOf(box).find(({ type, value }) => type === "radio" && value === text);
  return field?.labels?.[0]?.textContent.trim() ?? (fieldsOf(box)[0]?.type === "radio" ? "" : text);
}

function showGuess(box: HTMLElement, text: string): void {
  const output = box.querySelector("output");
  for (const field of fieldsOf(box)) {
    if (field.type === "radio") field.checked = field.value === text;
    else if (text) field.value = text;
  }
  if (output) output.textContent = valueOf(box);
  const yours = box.querySelector<HTMLElement>(".guess-yours");
  const words = text && wordsOf(box, text);
  if (!yours) return;
  yours.hidden = !words;
  yours.textContent = (yours.dataset["words"] ?? "").replace("{guess}", words);
}

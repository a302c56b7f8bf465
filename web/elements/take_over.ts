// What the reader did to the printed markup before the element came alive: typed, opened, focused.
import type { Description, Param } from "../../bindings/api/types.ts";
import { presetOf, presetTexts, type FigureState } from "./figure_state.ts";
import { formatScales, parseScales } from "./scale_list.ts";

export interface Remembered {
  /** Texts of controls that the reader changed. */
  texts: Record<string, string>;
  /** The printed output, to stand until there is a result, and the page's sentences beside charts. */
  page: Pick<FigureState, "placeholder" | "notes">;
  /** Opens and focuses the successors of what was open and focused. */
  restore(root: ParentNode): void;
}

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function remember(
  root: HTMLElement,
  description: Description,
  printed: Readonly<Record<string, string>>,
): Remembered {
  const preset = root.querySelector<Field>('[name="preset"]')?.value;
  const texts = preset && preset !== presetOf(description, printed) ? presetTexts(description, preset) : {};
  for (const param of description.params) {
    const { name, type } = param;
    const field = root.querySelector<Field>(`[name="${name}"]`);
    if (!field || type === "file") continue;
    const text = type === "scale_list" ? scaleText(root, param, field.value) : field.value;
    if (text !== printed[name]) texts[name] = text;
  }
  const open = [...root.querySelectorAll("details[open]")].map((details) => details.id);
  const focus = focusOf(root);
  const output = [...(root.querySelector(".figure-output")?.childNodes ?? [])];
  const notes = [...(root.querySelector("template")?.content.children ?? [])];
  return {
    texts,
    page: {
      placeholder: output.length > 0 ? output : undefined,
      notes: Object.fromEntries(notes.map((note) => [note.getAttribute("data-chart") ?? "", note])),
    },
    restore(successor) {
      for (const id of open) successor.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
      focus(successor);
    },
  };
}

/** Of one scale, what was typed counts: the button that was printed as chosen still is. */
function scaleText(root: HTMLElement, { name, choices, max_count = 1 }: Param, custom: string): string {
  const boxes = [...root.querySelectorAll<HTMLInputElement>(`[name$="${name}-choice"]`)];
  const chosen = boxes.filter((box) => box.checked && (max_count > 1 || custom === ""));
  const { named } = parseScales(chosen.map((box) => box.value).join(","), choices);
  return formatScales({ named, custom });
}

/** Notes where the focus is; the returned function gives it to the element of the same id, or the same choice. */
export function focusOf(root: HTMLElement): (successor: ParentNode) => void {
  const active = document.activeElement;
  if (!active || !root.contains(active)) return () => undefined;
  const isChoice = active instanceof HTMLInputElement && active.type === "radio";
  const twin = active.id
    ? `#${CSS.escape(active.id)}`
    : isChoice && `[name="${active.name}"][value="${CSS.escape(active.value)}"]`;
  if (!twin) return () => undefined;
  const selection =
    active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement ? active : undefined;
  const [start, end] = [selection?.selectionStart ?? null, selection?.selectionEnd ?? null];
  return (successor) => {
    const next = successor.querySelector<HTMLElement>(twin);
    next?.focus({ preventScroll: true });
    if (start !== null && (next instanceof HTMLInputElement || next instanceof HTMLTextAreaElement)) {
      next.setSelectionRange(start, end);
    }
  };
}

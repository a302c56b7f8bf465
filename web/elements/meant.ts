// A printed figure may wait until a reader means it: points at it, touches it, or comes with the keyboard.

const signs = [
  "pointerover",
  "pointerdown",
  "touchstart",
  "focusin",
  "keydown",
  "input",
  "change",
  "click",
] as const;

/** Calls `begin` once, at the first such sign or at `end`. `repeat` presses the button again that was pressed meanwhile. */
export function untilMeant(
  element: HTMLElement,
  begin: (repeat: () => void) => void,
): { end(): void; cancel(): void } {
  let pressed: string | undefined;
  const press = (event: Event): void => {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (button) pressed = button.id || nameOf(button);
  };
  const repeat = (): void => {
    element.removeEventListener("click", press, true);
    const buttons = [...element.querySelectorAll("button")];
    if (pressed !== undefined)
      buttons.find((button) => button.id === pressed || nameOf(button) === pressed)?.click();
  };
  const cancel = (): void => {
    for (const sign of signs) element.removeEventListener(sign, end, true);
  };
  let begun = false;
  const end = (): void => {
    if (begun) return;
    begun = true;
    cancel();
    begin(repeat);
  };
  for (const sign of signs) element.addEventListener(sign, end, { capture: true, passive: true });
  element.addEventListener("click", press, true);
  return { end, cancel };
}

function nameOf(button: HTMLButtonElement): string {
  return button.textContent.trim();
}

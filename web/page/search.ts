// The gallery's search: what one types, in either language, leaves the experiments that have all its words.

const words = (text: string): string[] => text.toLowerCase().normalize("NFKC").split(/\s+/).filter(Boolean);

export function offerSearch(): void {
  const box = document.querySelector<HTMLElement>(".search");
  const input = box?.querySelector("input");
  const status = box?.querySelector<HTMLElement>('[role="status"]');
  if (!box || !input || !status) return;
  const cards = [...document.querySelectorAll<HTMLElement>(".cards > li")].map((card) => ({
    card,
    text: words(
      `${card.textContent} ${card.dataset["words"] ?? ""} ${card.querySelector("a")?.pathname ?? ""}`,
    ).join(" "),
  }));
  const groups = [...document.querySelectorAll<HTMLElement>(".gallery-group")];
  const look = (): void => {
    const wanted = words(input.value);
    let found = 0;
    for (const { card, text } of cards) {
      card.hidden = !wanted.every((word) => text.includes(word));
      if (!card.hidden) ++found;
    }
    for (const group of groups) group.hidden = !group.querySelector(".cards > li:not([hidden])");
    status.textContent = found === 0 ? (status.dataset["nothing"] ?? "") : "";
  };
  input.addEventListener("input", look);
  box.hidden = false;
  look(); // browsers keep what was typed when one comes back
}

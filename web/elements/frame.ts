// The shadow root of an element on other people's pages: a frame in their colours, and their own content in its place
// until there is something to draw.
import { Room, type RoomLook } from "./room.ts";
import { markParts } from "./shadow_parts.ts";
import { surroundingsOf } from "./theme.ts";

export class Frame {
  /** Holds what the element draws. */
  readonly element = document.createElement("div");
  #room: Room | undefined;
  #isFollowing = false;

  constructor(host: HTMLElement, sheets: readonly CSSStyleSheet[]) {
    this.element.className = "frame";
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [...sheets];
    root.replaceChildren(this.element, document.createElement("slot"));
  }

  /** Keeps the room that it will take. */
  reserve(look: RoomLook): void {
    this.#room = new Room(this.element, look);
  }

  /** Something will be drawn in that room, which may be smaller. */
  hold(): void {
    this.#room?.hold();
  }

  /** It takes what it needs, from now on. */
  release(): void {
    this.#room?.release();
  }

  /**
   * From now on, whenever the page's colour changes: the frame's own transition, of no time, ends; and where the page's takes
   * its time, that of what is around, after which Firefox does not always end the frame's.
   */
  followTheme(): void {
    this.#takeTheme();
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const { host } = this.element.getRootNode() as ShadowRoot;
    const follow = ({ target }: Event): void => {
      if (host.isConnected) {
        if (target === this.element || (target as Node).contains(host)) this.#takeTheme();
        return;
      }
      this.#isFollowing = false;
      document.removeEventListener("transitionend", follow);
    };
    this.element.addEventListener("transitionend", follow);
    document.addEventListener("transitionend", follow);
  }

  #takeTheme(): void {
    const { dark, paper } = surroundingsOf(this.element);
    const { classList, style } = this.element;
    classList.toggle("dark", dark);
    style.setProperty("--around", paper ?? "");
  }

  /** The page's content gives way. */
  drawn(): void {
    this.element.classList.remove("failed");
    this.element.classList.add("alive");
    markParts(this.element);
  }

  /** In place of what is drawn; the page's content stays. */
  fail(said: HTMLElement): void {
    const root = document.createElement("div");
    root.className = "figure-root";
    root.append(said);
    this.release();
    this.element.classList.remove("alive");
    this.element.classList.add("failed");
    this.element.replaceChildren(root);
    markParts(this.element);
  }
}

const known = new Map<string, CSSStyleSheet>();

/** One for all elements with these styles. */
export function sheetOf(styles: string): CSSStyleSheet {
  let sheet = known.get(styles);
  if (!sheet) {
    known.set(styles, (sheet = new CSSStyleSheet()));
    sheet.replaceSync(styles);
  }
  return sheet;
}

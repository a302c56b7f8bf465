// The types of the package's entry sqrtdk/anywidget, as they are published.

/** What a host gives; some hosts only show a widget and have neither `off` nor `save_changes`. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes?(): void;
  on(event: string, callback: () => void): void;
  off?(event: string, callback: () => void): void;
}

/** A front-end module as anywidget asks for it. */
export interface Widget {
  /** Shows the model's figure in `el`; what is returned takes it away again. */
  render(given: { model: Model; el: HTMLElement }): () => void;
}

declare const widget: Widget;
export default widget;

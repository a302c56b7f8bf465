// A map of the encoder's block: what each part hands on, and where the scale sits in it.
import { html, type TemplateResult } from "lit/html.js";
import type { RunResult } from "../../../bindings/api/types.ts";
import { formatDecimals } from "../../charts/format.ts";
import { keep } from "../../elements/keep.ts";
import { apart, type Scene, type StoryFigure } from "../figure.ts";
import { subscripts } from "../subscripts.ts";

interface Part {
  name: string;
  /** The tensor that it hands on. */
  tensor: string;
  /** Experiment with a page of its own. */
  lab?: string;
}

const attention: readonly Part[] = [
  { name: "projections", tensor: "q", lab: "role_emergence" },
  { name: "scores", tensor: "scores", lab: "score_variance" },
  { name: "softmax", tensor: "weights", lab: "softmax_saturation" },
  { name: "heads", tensor: "heads", lab: "multi_head" },
  { name: "mix", tensor: "attention", lab: "encoder_layer" },
];
/** With the norm behind each part, or before it. */
const orders: Readonly<Record<string, readonly Part[]>> = {
  post: [
    { name: "input", tensor: "input", lab: "positional_encoding" },
    ...attention,
    { name: "residual", tensor: "residual1", lab: "encoder_layer" },
    { name: "norm", tensor: "norm1", lab: "encoder_layer" },
    { name: "feed_forward", tensor: "feed_forward", lab: "encoder_layer" },
    { name: "residual", tensor: "residual2", lab: "encoder_layer" },
    { name: "norm", tensor: "norm2", lab: "encoder_layer" },
  ],
  pre: [
    { name: "input", tensor: "input", lab: "positional_encoding" },
    { name: "norm", tensor: "norm1", lab: "encoder_layer" },
    ...attention,
    { name: "residual", tensor: "residual1", lab: "encoder_layer" },
    { name: "norm", tensor: "norm2", lab: "encoder_layer" },
    { name: "feed_forward", tensor: "feed_forward", lab: "encoder_layer" },
    { name: "residual", tensor: "residual2", lab: "encoder_layer" },
  ],
};

export const figure: StoryFigure = {
  experiment: "encoder_layer",
  start: { norm: "post" },
  params: ({ norm = "" }) => ({
    ...{ batch: "1", n: "10", d_model: "128", n_heads: "4", d_ff: "512", n_layers: "1", padding: "0" },
    ...{ input: "normal", norm },
  }),
  view,
};

function spread(result: RunResult, tensor: string): string {
  const found = result.scalars.find(({ name, at }) => name === "activation_std" && at["tensor"] === tensor);
  return formatDecimals(found?.value, 2);
}

function view({ set, result, say, change }: Scene): TemplateResult {
  const order = result.params["norm"] === "pre" ? "pre" : "post";
  return html`<figure class="story-figure" aria-labelledby="block-caption">
    <div class="story-controls story-tabs" role="group" aria-label=${say("order")}>
      ${["post", "pre"].map(
        (each) =>
          html`<label
            ><input
              type="radio"
              name="norm"
              value=${each}
              ?checked=${each === figure.start["norm"]}
              ${keep({ checked: each === set["norm"] })}
              @change=${() => change({ norm: each })}
            />
            ${say(each)}</label
          >`,
      )}
    </div>
    <ol class="story-block">
      ${orders[order]!.map(
        ({ name, tensor, lab }) =>
          html`<li class=${name === "scores" ? "role-scaled" : ""}>
            <a href="lab/${lab}/">${subscripts(say(name))}</a>
            <span class="story-spread">${spread(result, tensor)}</span>
          </li>`,
      )}
    </ol>
    <figcaption class="story-caption" id="block-caption">
      ${apart(say("caption"))}<span class="screen-only">${say("hands")}</span>
    </figcaption>
  </figure>`;
}

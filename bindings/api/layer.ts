// What all layers and models share: parameters, gradients, checkpoints, and what a forward pass leaves.
import { attentionArguments, scoreNames } from "./attention.ts";
import type { AttentionOptions } from "./attention.ts";
import { choiceOf } from "./choice.ts";
import { ValueError } from "./errors.ts";
import { metadataText, saveNames } from "./formats.ts";
import type { SaveOptions } from "./formats.ts";
import { bytesOf, textOf } from "./given.ts";
import { Handle } from "./handle.ts";
import { checked } from "./known_names.ts";
import type { Names } from "./known_names.ts";
import { listingOf, parseListing } from "./listing.ts";
import type { Values } from "./listing.ts";
import type { OutOption } from "./matrix.ts";
import { flag, whole } from "./number.ts";
import type { Kind } from "./scope.ts";
import type { Group, RawTensor } from "./signature.ts";
import * as operators from "./signatures.ts";
import type { Causal, LayerTensors } from "./signatures.ts";
import type { Tensor, TensorLike, TensorMemory } from "./tensor.ts";

/** How names that do not match are taken. */
export interface LoadStateOptions {
  /** Default true: a missing or unexpected name is a `FormatError`. */
  readonly strict?: boolean;
  /** With which names begin, as of a model inside another; others are passed over. Default: none. */
  readonly prefix?: string;
}

const loadNames: Names<LoadStateOptions> = { strict: 1, prefix: 1 };

/** Empty unless `strict` is false. */
export interface KeyDifference {
  readonly missingKeys: readonly string[];
  readonly unexpectedKeys: readonly string[];
}

/** What every layer's forward pass takes. */
export interface ForwardOptions extends OutOption {
  /** Dropout is on. Default false. */
  readonly training?: boolean;
  /** The training's step: what dropout drops depends on the layer's seed and this. Default 0. */
  readonly step?: number;
  /** Leaves `scores` and `weights` of every attention among the intermediates, at memory n_q · n_k. Default false. */
  readonly explain?: boolean;
}

/** As `attention` has them; `none` turns off what a layer does by itself. */
export interface LayerAttentionOptions extends Omit<AttentionOptions, "causal"> {
  readonly causal?: Causal | "none";
}

/** A layer that C++ has made. */
export interface Made {
  readonly handle: number;
  /** Of initial values and of dropout. */
  readonly seed: bigint;
}

export const forwardNames: Names<ForwardOptions> = { training: 1, step: 1, explain: 1, out: 1 };
export const attentionNames: Names<LayerAttentionOptions> = scoreNames;

/** What `forward` of every layer comes to. */
interface LayerCall {
  readonly inputs?: readonly Tensor[];
  readonly ids?: RawTensor<"i32"> | undefined;
  /** In the order of the layer's attentions. */
  readonly attentions?: readonly LayerAttentionOptions[];
  readonly options: ForwardOptions;
  readonly shape: readonly number[];
}

/**
 * A layer or model in the module's memory. What it computes are tensors; what is looked up in it are copies
 * `{ data, shape }`, which may be given wherever a tensor is. All throw `DisposedError` after `dispose`.
 */
export abstract class Layer extends Handle {
  /** @internal */
  declare protected readonly memory: TensorMemory;
  readonly #seed: bigint;
  #inputs: readonly (readonly number[])[] = [];

  /** @internal */
  constructor(memory: TensorMemory, kind: string, { handle, seed }: Made) {
    super(memory, kind, handle);
    this.#seed = seed;
  }

  /** @internal */
  override get counted(): Kind {
    return "layers";
  }

  /** Names, as in PyTorch's state_dict, and shapes; tied parameters under their first name. */
  get parameters(): readonly { readonly name: string; readonly shape: readonly number[] }[] {
    const list = this.#list("parameters");
    const first = list.filter(({ pointer }, i) => list.findIndex((other) => other.pointer === pointer) === i);
    return first.map(({ name, shape }) => ({ name, shape }));
  }

  /** A copy of every parameter by name. Tied parameters are there under each of their names. */
  stateDict(): Record<string, Values> {
    return this.#copies("parameters");
  }

  /** A copy of every parameter's gradient by name: the sum over the backward passes since `zeroGrad`. */
  gradients(): Record<string, Values> {
    return this.#copies("gradients");
  }

  /** Sets the gradients to 0. */
  zeroGrad(): void {
    this.memory.border.call(this.kind, operators.clearGradients, { layer: this.handle });
  }

  /** Takes parameters by name. Throws `FormatError` listing every name and shape that is wrong; then nothing is changed. */
  loadStateDict(dict: Readonly<Record<string, TensorLike>>, options: LoadStateOptions = {}): KeyDifference {
    const { memory } = this;
    const op = "loadStateDict";
    checked(op, "options", options, loadNames);
    return memory.scope(() =>
      memory.border.withText(op, listingOf(memory, op, "dict", dict), (placed) => {
        const given = { layer: this.handle, ...matching(op, options), dict: placed };
        return difference(memory.border.call(op, operators.loadStateDict, given));
      }),
    );
  }

  /** The parameters as a safetensors file. */
  save(options: SaveOptions = {}): Uint8Array<ArrayBuffer> {
    const { border } = this.memory;
    const op = "save";
    checked(op, "options", options, saveNames);
    const dtype = choiceOf(op, "dtype", operators.dtypeNames, options.dtype ?? "f32");
    return border.withText(op, metadataText(op, options.metadata), (metadata) =>
      border.call(op, operators.saveLayer, { layer: this.handle, dtype, metadata }),
    );
  }

  /** Takes the parameters of a safetensors file. Throws `FormatError` as `loadStateDict` does, also for a malformed file. */
  load(bytes: Uint8Array | ArrayBuffer, options: LoadStateOptions = {}): KeyDifference {
    const { border } = this.memory;
    const op = "load";
    checked(op, "options", options, loadNames);
    return border.withBytes(op, bytesOf(op, "bytes", bytes), (placed) => {
      const given = { layer: this.handle, ...matching(op, options), bytes: placed };
      return difference(border.call(op, operators.loadLayer, given));
    });
  }

  /** The names of what the last passes left, e.g. `"self_attn.weights"`. */
  intermediates(): readonly string[] {
    return this.#list("cache").map(({ name }) => name);
  }

  /** A copy of what the last passes left under this name. Throws `ValueError` that lists the names there are. */
  intermediate(name: string): Values {
    const list = this.#list("cache");
    const got = textOf(this.kind, "name", name);
    const found = list.find((tensor) => tensor.name === got);
    if (found) return found.copy();
    const expected = list.map((tensor) => tensor.name).join(", ");
    const fields = { code: "unknown_name", operator: this.kind, argument: "name", expected, got } as const;
    throw new ValueError(fields);
  }

  /** @internal Must run inside a scope. */
  protected run({ inputs = [], ids, attentions = [], options, shape }: LayerCall): Tensor {
    const { memory, kind } = this;
    const { training = false, step = 0, explain = false } = options;
    whole(kind, "step", step, 0, Number.MAX_SAFE_INTEGER);
    const [x, y, z] = inputs;
    const [first, second, third] = [0, 1, 2].map((i) => attention(memory, kind, attentions[i])) as Three;
    const out = memory.result(kind, options.out, shape);
    const given = {
      ...{ layer: this.handle, x, y, z, ids, first, second, third },
      explain: flag(kind, "explain", explain),
      training: flag(kind, "training", training),
      ...{ seed: this.#seed, step, out },
    };
    this.#inputs = [];
    memory.border.call(kind, operators.layerForward, given);
    this.#inputs = inputs.map((input) => input.shape);
    return out;
  }

  /** @internal The gradients of the inputs of the last forward pass. */
  protected runBack(dout: TensorLike): Tensor[] {
    const { memory, kind } = this;
    const op = `${kind}.backward`;
    return memory.scope(() => {
      const upstream = memory.take(op, "dout", dout);
      const gradients = this.#inputs.map((shape) => memory.empty(op, shape));
      const [dx, dy, dz] = gradients;
      memory.border.call(op, operators.layerBackward, {
        ...{ layer: this.handle, dout: upstream, dx, dy, dz },
      });
      return gradients;
    });
  }

  #list(tensors: LayerTensors) {
    const { border } = this.memory;
    const which = choiceOf(this.kind, "tensors", operators.layerTensorsNames, tensors);
    return parseListing(border, border.call(this.kind, operators.listTensors, { layer: this.handle, which }));
  }

  #copies(which: LayerTensors): Record<string, Values> {
    return Object.fromEntries(this.#list(which).map(({ name, copy }) => [name, copy()]));
  }
}

type Three = [Group<"attention">, Group<"attention">, Group<"attention">];

function matching(op: string, { strict = true, prefix = "" }: LoadStateOptions) {
  return { strict: flag(op, "strict", strict), prefix: textOf(op, "prefix", prefix) };
}

/** From how many are missing, their names, and the unexpected ones. */
function difference(text: string): KeyDifference {
  const [count = "0", ...names] = text.split("\0");
  const n = Number(count);
  return { missingKeys: names.slice(0, n), unexpectedKeys: names.slice(n) };
}

function attention(
  memory: TensorMemory,
  op: string,
  options: LayerAttentionOptions = {},
): Group<"attention"> {
  const { causal, ...rest } = options;
  return attentionArguments(memory, op, causal && causal !== "none" ? { ...rest, causal } : rest);
}

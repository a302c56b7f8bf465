// The raw functions of the module (bindings.cpp) and the rules of the border: text goes in as bytes in
// the module's memory, answers come out as text, failures as typed errors.
import { OutOfMemory, ValueError, makeError } from "./errors.ts";
import type { ErrorCode } from "./types.ts";

/** 0 when done; 1 when it failed and `answer` holds the error's fields. */
type Status = number;
/** Address in the module's memory. */
export type Pointer = number;

export interface RawTensor {
  readonly pointer: Pointer;
  readonly shape: readonly number[];
}

/** What an operator takes, in the order of its C++ side; a tensor that is not given is undefined. */
export type RawArgument = RawTensor | number | boolean | undefined;

/** Every raw function. Returned views are valid until the next call. */
export interface Raw extends Readonly<Record<Operator, (call: Pointer) => Status>> {
  answer(): Uint8Array;
  bytes(pointer: Pointer, n: number): Uint8Array;
  floats(pointer: Pointer, n: number): Float32Array;
  /** 64-byte aligned; 0 where there is not enough memory. */
  allocate(bytes: number): Pointer;
  release(pointer: Pointer): void;
  describe_all(): Status;
  experiment_work(request: Pointer, bytes: number): Status;
  run_experiment(request: Pointer, bytes: number, progress: ((share: number) => boolean) | undefined): Status;
  read_csv(text: Pointer, bytes: number): Status;
  read_npy(bytes: Pointer, n: number): Status;
  generate(call: Pointer, on_token: ((token: number) => boolean) | undefined): Status;
}

/** The operators (*_operators.cpp): each takes the address of its arguments. */
export type Operator =
  | "matmul"
  | "packed_size"
  | "pack_matrix"
  | "matmul_packed"
  | "round_to"
  | "matmul_in_format"
  | "embedding_forward"
  | "embedding_backward"
  | "rotary_table"
  | "rotary_forward"
  | "rotary_backward"
  | "softmax_forward"
  | "softmax_backward"
  | "log_softmax_forward"
  | "log_softmax_backward"
  | "activation_forward"
  | "activation_backward"
  | "layer_norm_forward"
  | "layer_norm_backward"
  | "rms_norm_forward"
  | "rms_norm_backward"
  | "cross_entropy_forward"
  | "cross_entropy_backward"
  | "dropout_forward"
  | "dropout_backward"
  | "philox"
  | "torch"
  | "attention_forward"
  | "attention_backward"
  | "tiled_attention_forward"
  | "tiled_attention_backward"
  | "append_rows"
  | "list_choices"
  | "additive_attention_forward"
  | "additive_attention_backward"
  | "cosine_attention_forward"
  | "cosine_attention_backward"
  | "make_layer"
  | "release_object"
  | "initialize_layer"
  | "layer_forward"
  | "layer_backward"
  | "list_tensors"
  | "clear_gradients"
  | "positional_encoding"
  | "read_safetensors"
  | "write_safetensors"
  | "save_layer"
  | "load_layer"
  | "load_state_dict"
  | "load_llama2c"
  | "load_nano_gpt"
  | "describe_model"
  | "make_past"
  | "past_length"
  | "clear_past"
  | "decode"
  | "likelihood"
  | "make_tokenizer"
  | "tokenizer_encode"
  | "tokenizer_decode"
  | "make_trainer"
  | "load_trainer"
  | "trainer_fields"
  | "trainer_facts"
  | "trainer_config"
  | "trainer_state"
  | "set_learning_rate"
  | "trainer_step"
  | "trainer_record"
  | "trainer_evaluate"
  | "trainer_answers"
  | "trainer_maps"
  | "save_trainer"
  | "restore_trainer"
  | "trainer_hash"
  | "trainer_parameters"
  | "race_result";

/** What some operators choose among. */
export type ChoiceKind = "causal" | "additive form" | "activation" | "reduction" | "format" | "rotary pairs";

// The kinds of arguments, as in arguments.h.
const kNumber = 0;
const kTensor = 1;
const kNotGiven: RawTensor = { pointer: 0, shape: [] };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // U+FEFF is text like any other

/** The module's memory and answers. */
export class Border {
  readonly raw: Raw;
  #choices: Map<string, Map<string, number>> | undefined;
  #block: { pointer: Pointer; numbers: Float64Array } | undefined;

  constructor(raw: Raw) {
    this.raw = raw;
  }

  /** The answer of a raw call; throws what the call reports. */
  answer(status: Status): string {
    const text = decoder.decode(this.raw.answer());
    if (status === 0) return text;
    const [
      type = "",
      code = "internal",
      operator = "",
      argument = "",
      expected = "",
      got = "",
      message = "",
    ] = text.split("\0");
    throw makeError(type, { code: code as ErrorCode, operator, argument, expected, got }, message);
  }

  /** Calls an operator. Throws what it reports, and `OutOfMemory`. */
  call(operator: Operator, ...given: RawArgument[]): void {
    const status = this.raw[operator](this.place(operator, given));
    if (status !== 0) this.answer(status);
  }

  /** Puts the arguments of an operator where C++ reads them, and returns their address. Throws `OutOfMemory`. */
  place(operator: string, given: readonly RawArgument[]): Pointer {
    const { pointer, numbers } = this.#argumentBlock(operator);
    const written = given.flatMap((argument = kNotGiven) =>
      typeof argument === "object"
        ? [kTensor, argument.pointer, argument.shape.length, ...argument.shape]
        : [kNumber, Number(argument)],
    );
    numbers.set([written.length, ...written]); // throws where there are more than the block holds
    return pointer;
  }

  /** Calls an operator that answers a number. */
  callForNumber(operator: Operator, ...given: RawArgument[]): number {
    this.call(operator, ...given);
    return parseFloat(this.answer(0));
  }

  /** One of C++'s names for this kind (choice_operators.cpp), as C++ knows it. Throws `ValueError`. */
  choice(operator: string, argument: string, kind: ChoiceKind, given: string | undefined): number {
    const values = (this.#choices ??= this.#listChoices()).get(kind) ?? new Map<string, number>();
    const value = values.get(given ?? "");
    if (value !== undefined) return value;
    const expected = [...values.keys()].filter((name) => name !== "").join(", ");
    throw new ValueError({ code: "not_a_choice", operator, argument, expected, got: String(given) });
  }

  #listChoices(): Map<string, Map<string, number>> {
    this.call("list_choices");
    const choices = new Map<string, Map<string, number>>();
    for (const line of this.answer(0).split("\n")) {
      const [kind = "", name = "", value] = line.split(",");
      const values = choices.get(kind) ?? new Map<string, number>();
      choices.set(kind, values.set(name, Number(value)));
    }
    return choices;
  }

  /** Where arguments are put, call after call; a view that growth has cut off is made anew. */
  #argumentBlock(operator: string): { pointer: Pointer; numbers: Float64Array } {
    const size = 256; // more than any operator takes
    const pointer = this.#block?.pointer ?? this.allocate(operator, 8 * size);
    if (!this.#block?.numbers.length) {
      const { buffer, byteOffset } = this.raw.bytes(pointer, 8 * size);
      this.#block = { pointer, numbers: new Float64Array(buffer, byteOffset, size) };
    }
    return this.#block;
  }

  /** Throws `OutOfMemory`. */
  allocate(operator: string, bytes: number): Pointer {
    const pointer = this.raw.allocate(bytes);
    if (pointer !== 0) return pointer;
    const fields = {
      code: "out_of_memory",
      operator,
      argument: "",
      expected: "",
      got: String(bytes),
    } as const;
    throw new OutOfMemory(fields, `${operator}: out of memory, ${bytes} bytes asked for`);
  }

  /** Calls `use` with a copy of `bytes` in the module's memory. Throws `OutOfMemory`. */
  withBytes<T>(operator: string, bytes: Uint8Array, use: (pointer: Pointer, n: number) => T): T {
    const pointer = this.allocate(operator, bytes.length);
    try {
      this.raw.bytes(pointer, bytes.length).set(bytes);
      return use(pointer, bytes.length);
    } finally {
      this.raw.release(pointer);
    }
  }

  withText<T>(operator: string, text: string, use: (pointer: Pointer, bytes: number) => T): T {
    return this.withBytes(operator, new TextEncoder().encode(text), use);
  }
}

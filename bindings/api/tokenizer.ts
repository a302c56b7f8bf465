// Text to tokens and back.
import { bytesOf, textOf } from "./given.ts";
import { Handle } from "./handle.ts";
import { whole } from "./number.ts";
import * as operators from "./signatures.ts";
import type { Ids, TensorMemory } from "./tensor.ts";

/** llama2.c's tokenizer: byte pairs of SentencePiece. Ids 0, 1 and 2 are unknown, BOS and EOS. */
export class Tokenizer extends Handle {
  /** @internal */
  declare protected readonly memory: TensorMemory;
  readonly #vocab: number;

  /** @internal */
  constructor(memory: TensorMemory, file: Uint8Array | ArrayBuffer, vocab: number) {
    const name = "Tokenizer";
    const bytes = bytesOf(name, "bytes", file);
    whole(name, "vocab", vocab);
    const { border } = memory;
    const handle = border.withBytes(name, bytes, (placed) =>
      border.call(name, operators.makeTokenizer, { bytes: placed, vocab }),
    );
    super(memory, name, handle);
    this.#vocab = vocab;
  }

  /** The number of pieces. */
  get vocab(): number {
    return this.#vocab;
  }

  /** BOS, then the tokens of the text. */
  encode(text: string): number[] {
    const { border } = this.memory;
    const op = "encode";
    const tokens = border.withText(op, textOf(op, "text", text), (placed) =>
      border.call(op, operators.tokenizerEncode, { tokenizer: this.handle, text: placed }),
    );
    return tokens.split(",").slice(0, -1).map(Number);
  }

  /** The text of the tokens; BOS and EOS have none. Throws `ValueError` for an id that is none. */
  decode(ids: Ids): string {
    const { memory } = this;
    const op = "decode";
    return memory.scope(() => {
      const taken = memory.indices(op, "ids", ids);
      return memory.border.call(op, operators.tokenizerDecode, { tokenizer: this.handle, ids: taken });
    });
  }
}

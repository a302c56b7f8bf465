// Text to tokens and back.
import { textOf } from "./given.ts";
import { Handle } from "./handle.ts";
import { shapedIds } from "./layers.ts";
import { whole } from "./number.ts";
import * as operators from "./signatures.ts";
import type { TensorMemory } from "./tensor.ts";

/** llama2.c's tokenizer: byte pairs of SentencePiece. Ids 0, 1 and 2 are unknown, BOS and EOS. */
export class Tokenizer extends Handle {
  /** @internal */
  declare protected readonly memory: TensorMemory;
  readonly vocab: number;

  private constructor(memory: TensorMemory, handle: number, vocab: number) {
    super(memory, "tokenizer", handle);
    this.vocab = vocab;
  }

  /** @internal */
  static from(memory: TensorMemory, bytes: Uint8Array, vocab: number): Tokenizer {
    const { border } = memory;
    return border.withBytes("tokenizer", bytes, (placed) => {
      const given = { bytes: placed, vocab: whole("tokenizer", "vocab", vocab) };
      return new Tokenizer(memory, border.call(operators.make_tokenizer, given), vocab);
    });
  }

  /** BOS, then the tokens of the text. */
  encode(text: string): number[] {
    const { border } = this.memory;
    const tokens = border.withText("encode", textOf("encode", "text", text), (placed) =>
      border.call(operators.tokenizer_encode, { tokenizer: this.handle, text: placed }),
    );
    return tokens.split(",").slice(0, -1).map(Number);
  }

  /** The text of the tokens; BOS and EOS have none. Throws `ValueError` for an id that is none. */
  decode(ids: readonly number[]): string {
    const { border } = this.memory;
    return this.memory.scope(() => {
      const taken = this.memory.indices("decode", "ids", shapedIds(ids));
      return border.call(operators.tokenizer_decode, { tokenizer: this.handle, ids: taken });
    });
  }
}

// Text to tokens and back.
import { textOf } from "./given.ts";
import { Handle } from "./handle.ts";
import { shapedIds } from "./layers.ts";
import { whole } from "./number.ts";
import type { TensorMemory } from "./tensor.ts";

/** llama2.c's tokenizer: byte pairs of SentencePiece. Ids 0, 1 and 2 are unknown, BOS and EOS. */
export class Tokenizer extends Handle {
  readonly vocab: number;

  private constructor(memory: TensorMemory, handle: number, vocab: number) {
    super(memory, "tokenizer", handle);
    this.vocab = vocab;
  }

  /** @internal */
  static from(memory: TensorMemory, bytes: Uint8Array, vocab: number): Tokenizer {
    const { border } = memory;
    return border.withBytes("tokenizer", bytes, (pointer, n) => {
      border.call("make_tokenizer", pointer, n, whole("tokenizer", "vocab", vocab));
      return new Tokenizer(memory, Number(border.answer(0)), vocab);
    });
  }

  /** BOS, then the tokens of the text. */
  encode(text: string): number[] {
    const { border } = this.memory;
    return border.withText("encode", textOf("encode", "text", text), (pointer, n) => {
      border.call("tokenizer_encode", this.handle, pointer, n);
      return border.answer(0).split(",").slice(0, -1).map(Number);
    });
  }

  /** The text of the tokens; BOS and EOS have none. Throws `ValueError` for an id that is none. */
  decode(ids: readonly number[]): string {
    const { border } = this.memory;
    return this.memory.scope(() => {
      const taken = this.memory.indices("decode", "ids", shapedIds(ids));
      border.call("tokenizer_decode", this.handle, taken);
      return border.answer(0);
    });
  }
}

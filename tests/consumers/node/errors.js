// How what is thrown looks in a console.
import { inspect } from "node:util";
import { load } from "sqrtdk";

const { ops, train } = await load();
for (const wrong of [
  () => ops.softmax("x"),
  () => ops.matmul([[1, 2]], [[1]]),
  () => train.trainer({ task: "modular" }),
  () => load({ wasm: "file:///nothing.wasm" }),
]) {
  try {
    await wrong();
  } catch (error) {
    console.log(inspect(error).split("\n", 1)[0]);
  }
}

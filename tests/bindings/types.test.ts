// What the compiler knows of calls: nothing here is computed.
import { expect, expectTypeOf, it } from "vitest";
import type {
  AttentionResult,
  MultiHeadAttention,
  MultiHeadAttentionResult,
  Normalized,
  RunResult,
  Sqrtdk,
  SqrtdkWorker,
  Tensor,
  TiledAttentionResult,
} from "../../bindings/entry/full.ts";

declare const ops: Sqrtdk["ops"];
declare const nn: Sqrtdk["nn"];
declare const experiments: Sqrtdk["experiments"];
declare const worker: SqrtdkWorker;
declare const x: Tensor;
declare const flag: boolean;
declare const heads: MultiHeadAttention;

/** Is compiled, and never runs. */
function compiled(body: () => void): void {
  expect(typeof body).toBe("function");
}

it("a result is what was asked for, or a union where that is a variable", () => {
  compiled(() => {
    expectTypeOf(ops.attention(x, x, x)).toEqualTypeOf<Tensor>();
    expectTypeOf(ops.attention(x, x, x, { causal: "top_left" })).toEqualTypeOf<Tensor>();
    expectTypeOf(ops.attention(x, x, x, { returnWeights: true })).toEqualTypeOf<AttentionResult>();
    expectTypeOf(ops.attention(x, x, x, { returnStats: true })).toEqualTypeOf<TiledAttentionResult>();
    expectTypeOf(ops.attention(x, x, x, { returnWeights: false })).toEqualTypeOf<Tensor>();
    const either = ops.attention(x, x, x, { returnWeights: flag });
    expectTypeOf(either).toEqualTypeOf<AttentionResult | TiledAttentionResult | Tensor>();
    expectTypeOf(ops.attention(x, x, x, { returnStats: flag })).toEqualTypeOf<typeof either>();
    if ("weights" in either) expectTypeOf(either).toEqualTypeOf<AttentionResult>();

    expectTypeOf(ops.layerNorm(x)).toEqualTypeOf<Tensor>();
    expectTypeOf(ops.layerNorm(x, { returnStats: true })).toEqualTypeOf<Normalized>();
    expectTypeOf(ops.layerNorm(x, { returnStats: flag })).toEqualTypeOf<Normalized | Tensor>();
    expectTypeOf(ops.rmsNorm(x, { returnStats: flag })).toEqualTypeOf<Normalized | Tensor>();

    expectTypeOf(heads.forward(x, x, x)).toEqualTypeOf<Tensor>();
    expectTypeOf(heads.forward(x, x, x, { returnWeights: true })).toEqualTypeOf<MultiHeadAttentionResult>();
    const seen = heads.forward(x, x, x, { returnWeights: flag });
    expectTypeOf(seen).toEqualTypeOf<MultiHeadAttentionResult | Tensor>();
  });
});

it("a name that is not there does not compile", () => {
  compiled(() => {
    // @ts-expect-error: another spelling
    ops.attention(x, x, x, { return_weights: true });
    // @ts-expect-error: another spelling
    new nn.EncoderLayer({ d_model: 4, nHeads: 1 });
    // @ts-expect-error: the class says which norm
    new nn.LayerNorm({ dModel: 4, kind: "rms" });
    // @ts-expect-error: nothing that looks like a field copies
    expectTypeOf(x.data).toBeAny();
  });
});

it("of experiments the parameters, their choices and the names of results", () => {
  compiled(() => {
    const result = experiments.score_variance.run({
      d: [32, "64"],
      trials: 10,
      distribution: "student_t",
      seed: 2n ** 60n,
    });
    expectTypeOf(result.verdict).toExtend<string>();
    expectTypeOf(result.verdict === "variance_is_d").toBeBoolean();
    // @ts-expect-error: no verdict of this experiment
    expectTypeOf(result.verdict === "variance_is_e").toBeBoolean();
    // @ts-expect-error: no parameter of this experiment
    experiments.score_variance.run({ n_kees: 8 });
    // @ts-expect-error: none of the choices
    experiments.score_variance.run({ distribution: "cauchy" });
    // @ts-expect-error: no experiment
    expectTypeOf(experiments.score_varianz).toBeAny();
    experiments.article_snippet.run({ q: [[1, 2]], k: { data: [1, 2], shape: [1, 2] } });
    expectTypeOf(experiments.get("whatever").run({ anything: 5 })).toEqualTypeOf<RunResult>();
    expectTypeOf(worker.experiments.score_variance.run({ trials: 5 })).resolves.toEqualTypeOf<
      typeof result
    >();
  });
});

it("what is accepted wherever a tensor is", () => {
  compiled(() => {
    ops.softmax([
      [1, 2],
      [3, 4],
    ]);
    ops.softmax({ data: new Float32Array(2), shape: [1, 2] });
    ops.softmax(new Float32Array(2));
    ops.attention([[1]], [[1]], [[1]], { mask: [[true]], lengths: [1] });
    // @ts-expect-error: text is no number
    ops.softmax([["1"]]);
  });
});

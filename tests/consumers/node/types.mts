import { load, ShapeError } from "sqrtdk";
import { load as loadNn } from "sqrtdk/nn";
import { load as loadOps } from "sqrtdk/ops";
import { load as loadSingle } from "sqrtdk/single";
import { SqrtdkFigure } from "sqrtdk/elements";
import { SqrtdkRace } from "sqrtdk/elements/race";
import widget from "sqrtdk/anywidget";
import "sqrtdk/auto";
import "sqrtdk/auto.all";

const sqrtdk = await load();
const q = sqrtdk.random.randn([2, 8], { seed: 1 });
const weights: Float32Array = sqrtdk.ops.attention(q, q, q, { returnWeights: true }).weights.toArray();
// @ts-expect-error There is no such option.
sqrtdk.ops.attention(q, q, q, { returnWeight: true });
const layer = new (await loadNn()).nn.Linear({ nIn: 8, nOut: 4 });
const ops = await loadOps();
// @ts-expect-error The entry of operators has no layers.
console.log(ops.nn, weights, layer, (await loadSingle()).experiments.list(), ShapeError);

class MyFigure extends SqrtdkFigure {
  static styles = ":host { --sqrtdk-scaled: teal }";
}
const figure: SqrtdkFigure = document.querySelector("sqrtdk-figure") ?? new MyFigure();
console.log(figure.experiment, SqrtdkRace, widget.render);

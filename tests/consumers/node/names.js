// How what is made looks in a console: by the names of its classes.
import { inspect } from "node:util";
import { load } from "sqrtdk";

const { tensor, ops, nn, models } = await load();
const x = tensor([[1, 2]]);
const model = new models.LanguageModel({ vocab: 2, context: 2, dModel: 2, nHeads: 1, nLayers: 1 });
for (const made of [
  x,
  x.view(),
  ops.packMatrix([[1], [2]]),
  new nn.Linear({ nIn: 2, nOut: 1 }),
  model,
  model.makeCache(),
])
  console.log(inspect(made).split(" ", 1)[0]);

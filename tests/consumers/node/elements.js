// Prints what the imports added to the global scope.
const before = new Set(Reflect.ownKeys(globalThis));
const { SqrtdkFigure } = await import("sqrtdk/elements");
await import("sqrtdk/elements/race");
if (typeof SqrtdkFigure !== "function") throw new Error("the class of figures is no class");
await import("sqrtdk/auto");
await import("sqrtdk/auto.all");
const { default: widget } = await import("sqrtdk/anywidget");
widget.render({ model: {}, el: {} });
const ofLit = "litHtmlVersions"; // by which Lit finds that it is there twice
console.log(
  JSON.stringify(Reflect.ownKeys(globalThis).filter((name) => !before.has(name) && name !== ofLit)),
);

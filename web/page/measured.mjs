// Figures of the promises, as scripts/update_promises.mjs keeps them: "{name}" in docs/promises.md.

/** `text` with each {name} replaced. Throws where one is unknown, or a figure is told nowhere. */
export function told(text, measured) {
  const found = new Set();
  const whole = text.replace(/\{(\w+)\}/g, (all, name) => {
    if (!Object.hasOwn(measured, name)) throw new Error(`nothing measured is called ${all}`);
    found.add(name);
    return measured[name];
  });
  const untold = Object.keys(measured).filter((name) => !found.has(name));
  if (untold.length > 0) throw new Error(`told nowhere: ${untold.join(", ")}`);
  return whole;
}

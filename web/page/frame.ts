// What a frame does beyond its element: takes language, theme and the element's attributes from its query, and tells the
// page around how high it is. A classic script in the head: language and theme are there before anything is painted.
const { documentElement: root } = document;
const query = new URLSearchParams(location.search);
const lang = query.get("lang")?.startsWith("zh") ? "zh" : "en";
const theme = query.get("theme");
root.lang = lang === "zh" ? "zh-CN" : "en";
document.title = root.getAttribute(`data-title-${lang}`) ?? document.title;
if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;

/** Attributes of the element that a link may set: names of parameters and of its look, nothing that runs or styles. */
const settable = /^(?!on|style$|class$|id$|slot$|is$|experiment$|prerendered$|result$)[a-z]\w*$/;

function dress(element: Element): void {
  for (const [name, text] of query)
    if (name !== "theme" && settable.test(name)) element.setAttribute(name, text);
}

function tellHeight(element: Element): void {
  let told = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === told) return;
    told = height;
    const experiment = element.getAttribute("experiment") ?? element.localName.replace("sqrtdk-", "");
    parent.postMessage({ type: "sqrtdk:height", experiment, height }, "*");
  }).observe(document.body);
}

// After the element is parsed, before module scripts run and bring it to life.
document.addEventListener("readystatechange", () => {
  if (document.readyState !== "interactive") return;
  const element = document.body.firstElementChild;
  if (!element) return;
  dress(element);
  if (parent !== window) tellHeight(element);
});

// What cannot wait for the page's other scripts: whether the address means another page, and which module to ask for.
const { moved, wasm } = document.currentScript?.dataset ?? {};

/** All experiments stood on one page once: "#id&values" still leads to them. */
const section = /^#([^&]*)/.exec(location.hash)?.[1] ?? "";
if (section && moved?.split(" ").includes(section))
  location.replace(section === "about" ? "check/" : `lab/${section}/${location.search}${location.hash}`);
else if (wasm && document.readyState === "loading") {
  const link = document.createElement("link");
  Object.assign(link, {
    rel: "preload",
    as: "fetch",
    type: "application/wasm",
    fetchPriority: "low",
    href: wasm,
  });
  link.crossOrigin = ""; // as in fetch()'s default, or the file is loaded twice
  document.head.append(link);
}

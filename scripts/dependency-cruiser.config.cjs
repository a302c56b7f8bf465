// Run from the project's folder: depcruise -c scripts/dependency-cruiser.config.cjs bindings web tests scripts.
// The rule of scripts/check_rooms for TypeScript: no circles, and a room imports only rooms to its left.

/** The rooms of web/ from left to right; each imports itself, what is listed, and the library. */
const rooms = {
  words: [],
  state: [],
  charts: ["words"],
  elements: ["words", "state", "charts"],
  race: ["words", "state", "charts", "elements"],
  check: ["words", "state", "charts", "elements"],
  story: ["words", "state", "charts", "elements"],
  embed_page: ["words", "state", "charts", "elements"],
  page: ["words", "state", "charts", "elements", "race", "check", "story", "embed_page", "content"],
  embed: ["words", "state", "charts", "elements", "race", "check", "content", "styles"],
};

module.exports = {
  forbidden: [
    {
      name: "no-circles",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "bindings-import-only-bindings",
      severity: "error",
      from: { path: "^bindings/" },
      to: { path: "^(web|tests|scripts)/" },
    },
    {
      name: "bindings-api-is-for-all",
      severity: "error",
      from: { path: "^bindings/api/" },
      to: { path: "^bindings/(worker|entry)/" },
    },
    {
      name: "bindings-worker-is-for-entry",
      severity: "error",
      from: { path: "^bindings/worker/" },
      to: { path: "^bindings/entry/" },
    },
    {
      name: "web-imports-only-the-library",
      severity: "error",
      from: { path: "^web/" },
      to: { path: "^(bindings|src|tests|scripts)/", pathNot: "^bindings/(api|entry)/" },
    },
    ...Object.entries(rooms).map(([room, left]) => ({
      name: `web-${room}-imports-to-its-left`,
      severity: "error",
      from: { path: `^web/${room}/` },
      to: { path: "^web/", pathNot: `^web/(${[room, ...left].join("|")})/` },
    })),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^build/" },
    includeOnly: { path: "^(bindings|web|tests|scripts|src)/" },
    tsPreCompilationDeps: true, // imports of types count
  },
};

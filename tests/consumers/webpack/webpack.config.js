export default { mode: "production", entry: "./main.js", output: { filename: "main.js" } };

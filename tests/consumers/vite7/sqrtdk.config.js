// The line for Vite's dev server: the package finds its files beside itself.
export default { optimizeDeps: { exclude: ["sqrtdk"] } };

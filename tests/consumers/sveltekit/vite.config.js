import { sveltekit } from "@sveltejs/kit/vite";

export default {
  plugins: [sveltekit()],
  server: { fs: { allow: ["."] } }, // use.js, beside the folders that SvelteKit serves
};

// Run from the project's folder: eslint -c scripts/eslint.config.js .
import { configs as lit } from "eslint-plugin-lit";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["build/", "node_modules/"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, lit["flat/recommended"]],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname + "/.." },
    },
    rules: {
      eqeqeq: "error",
      "no-restricted-syntax": [
        "error",
        { selector: "AssignmentExpression[left.property.name='innerHTML']", message: "Render with Lit." },
      ],
      // Numbers read well in templates; the project's noUncheckedIndexedAccess makes `!` the honest form
      // where the shape is known.
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Interfaces of callbacks are written as methods; strings are spread into code points on purpose.
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/no-misused-spread": "off",
      // `for (;;)` with a break, and defensive checks at the border, are meant.
      "@typescript-eslint/no-unnecessary-condition": "off",
    },
  },
  {
    files: ["**/*.{js,mjs}"],
    extends: [tseslint.configs.recommended],
    rules: { eqeqeq: "error" },
  },
);

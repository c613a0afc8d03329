import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import { defineConfig } from "eslint/config";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default defineConfig(
  {
    ignores: [
      "**/node_modules/",
      ".*/",
      "backend/",
      "dist/",
      "docs/",
      "tests/",
      "frontend/src/lib/client/generated.ts",
    ],
  },
  js.configs.recommended,
  ts.configs.recommended,
  svelte.configs.recommended,
  prettier,
  svelte.configs.prettier,
  {
    files: ["frontend/**"],
    languageOptions: { globals: { ...globals.browser, ...globals.worker } },
  },
  {
    files: ["build/**", "frontend/*.js", "frontend/*.ts", "frontend/tests/**"],
    languageOptions: { globals: globals.node },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
  },
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      // `_` names what has to be taken to reach the rest: `const { [key]: _, ...others } = all`.
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      // State is replaced, never changed in place, so a plain Map or Set in a function is not state.
      "svelte/prefer-svelte-reactivity": "off",
      // Svelte drops white space at the edge of a block; `{" "}` and `{"\n"}` keep it.
      "svelte/no-useless-mustaches": "off",
    },
  },
);

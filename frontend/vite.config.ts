import { svelte } from "@sveltejs/vite-plugin-svelte";
import { readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultClientConditions, type Plugin } from "vite";
import { defineConfig } from "vitest/config";
// What is read besides this file, so that a change of it clears the cache of the tests too.
import "./svelte.config.js";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const PYODIDE = [
  "pyodide.mjs",
  "pyodide.asm.mjs",
  "pyodide.asm.wasm",
  "python_stdlib.zip",
  "pyodide-lock.json",
];

/** Puts the sandbox's files and Pyodide's beside the page as they are: they run without it. */
function sandbox(): Plugin {
  const own = readdirSync(at("sandbox")).map((name) => at(`sandbox/${name}`));
  const files = [...own, ...PYODIDE.map((name) => join(at("../node_modules/pyodide"), name))];
  return {
    name: "sandbox",
    apply: "build",
    generateBundle() {
      for (const file of files)
        this.emitFile({
          type: "asset",
          fileName: `sandbox/${basename(file)}`,
          source: readFileSync(file),
        });
    },
  };
}

export default defineConfig({
  root: at("."),
  base: "./",
  plugins: [svelte(), sandbox()],
  resolve: {
    // Under vitest, Svelte is the one that mounts, not the one that renders on a server.
    conditions: process.env["VITEST"] ? ["browser"] : [...defaultClientConditions],
    alias: {
      $language: at("src/language"),
      $lib: at("src/lib"),
      $ui: at("src/ui"),
      $forms: at("src/forms"),
      $proof: at("src/proof"),
      $features: at("src/features"),
      $views: at("src/views"),
      $shell: at("src/shell"),
    },
  },
  build: {
    outDir: at("../backend/conductor/ui"),
    emptyOutDir: true,
    target: ["chrome120", "safari17"],
    assetsInlineLimit: 0,
    // One stylesheet: rules keep their order, and no view is painted before its styles are there.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 400,
  },
  server: { fs: { allow: [at("..")] } },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/setup.ts"],
    // One worker that keeps its modules: they take longer to import than most tests to run.
    isolate: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    // Compiling all components takes as long as a third of the tests. Cleared when a package changes.
    experimental: { fsModuleCache: true, fsModuleCachePath: at("../.cache/vitest") },
  },
});

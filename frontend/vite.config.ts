import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("."),
  base: "./",
  plugins: [svelte(), svelteTesting()],
  resolve: {
    alias: {
      $lib: at("src/lib"),
      $ui: at("src/ui"),
      $forms: at("src/forms"),
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
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
  },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/setup.ts"],
    testTimeout: 20_000,
  },
});

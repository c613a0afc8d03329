import { svelte } from "@sveltejs/vite-plugin-svelte";
import { fileURLToPath } from "node:url";
import { defaultClientConditions } from "vite";
import { defineConfig } from "vitest/config";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at("."),
  base: "./",
  plugins: [svelte()],
  resolve: {
    // Under vitest, Svelte is the one that mounts, not the one that renders on a server.
    conditions: process.env["VITEST"] ? ["browser"] : [...defaultClientConditions],
    alias: {
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
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_100,
  },
  server: { fs: { allow: [at("..")] } },
  test: {
    environment: "happy-dom",
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/setup.ts"],
    testTimeout: 20_000,
  },
});

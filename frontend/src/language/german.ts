/** All German texts, in one module that is loaded only for users who read German. */
import type { Catalog } from "./language.svelte";

const FILES = import.meta.glob<Catalog[string]>("../**/strings.de.ts", {
  eager: true,
  import: "german",
});

export const german: Catalog = Object.fromEntries(
  Object.entries(FILES).map(([path, texts]) => [
    path.replace(/^\.\.\/(.*)\/strings\.de\.ts$/, "$1"),
    texts,
  ]),
);

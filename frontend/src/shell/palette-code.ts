/** The code of the command palette's entries, which is loaded after the page. */
import { LazyCode } from "$lib/lazy-code.svelte";

export const paletteCode = new LazyCode(() => import("./palette"));
void paletteCode.load();

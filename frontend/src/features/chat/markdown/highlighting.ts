/** The highlighter of code blocks, which is loaded with the first code block. */
import { LazyCode } from "$lib/lazy-code.svelte";

export const highlighting = new LazyCode(() => import("./highlight"));

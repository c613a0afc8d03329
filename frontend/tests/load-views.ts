/** Loads the code of all views, so that the tests of a view do not wait for it. */
import { paletteCode } from "$shell/palette-code";
import { lazyCode } from "$views";

await Promise.all([paletteCode, ...lazyCode].map((code) => code.prefetch()));

/** Loads the code of all views, so that the tests of a view do not wait for it. */
import { keywords } from "$shell/commands";
import { lazyCode } from "$views";

await Promise.all([keywords, ...lazyCode].map((code) => code.prefetch()));

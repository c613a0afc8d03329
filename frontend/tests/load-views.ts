/** Loads the code of all views, so that the tests of a view do not wait for it. */
import { lazyCode } from "$views";

await Promise.all(lazyCode.map((code) => code.prefetch()));

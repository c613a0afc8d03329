/** What each test begins with, and browser APIs that the page uses and happy-dom lacks. */
import { cleanup } from "@testing-library/svelte";
import { afterEach } from "vitest";
import { language } from "$language/language.svelte";

afterEach(async () => {
  cleanup();
  await language.choose("en");
});

globalThis.ResizeObserver ??= class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
};
Element.prototype.scrollIntoView ??= () => {};
Element.prototype.setPointerCapture ??= () => {};
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.releasePointerCapture ??= () => {};

/** Sentences as the backend composes them, which a changed English word would leave untranslated. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { language } from "$language/language.svelte";
import { withNotes } from "$ui/notes.svelte";
import sentences from "./backend-sentences.json";

/** Names in backticks and quotation marks, which are the user's. */
const NAMES = /`[^`]*`|“[^”]*”|„[^“]*“/g;
const ENGLISH = /\b(the|and|is|was|were|are|this|that|which|not|does|did|its|it|to|of)\b/i;

beforeEach(() => language.choose("de"));
afterEach(() => localStorage.clear());

it("the name of the built-in controller", () => {
  expect(withNotes("1 device: Virtual controller.")).toBe("1 Gerät: Virtueller Controller.");
  expect(withNotes("2 devices: pads, Virtual controller.")).toBe(
    "2 Geräte: pads, Virtueller Controller.",
  );
  expect(withNotes("0 mappings.")).toBe("0 Mappings.");
});

describe.each(Object.entries(sentences))("the %s", (_, texts) => {
  it.each(texts)("%s", (english) => {
    const german = withNotes(english);
    expect(german).not.toBe(english);
    expect(german.replace(NAMES, "")).not.toMatch(ENGLISH);
    expect(german).not.toMatch(
      /\b(mapping \d+ of|Double tap|Hold|Chord|in mode) |\bfrom \d|[( ]note \d/,
    );
  });
});

/** Translations of sentences of the backend, which is English itself. */
import { translatable } from "../language.svelte";

export const strings = translatable("language/sentences", {
  /** Pairs of an English sentence with placeholders and its translation. */
  templates: [] as readonly (readonly [english: string, translation: string])[],
});

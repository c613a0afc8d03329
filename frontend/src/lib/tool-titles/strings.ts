/** Titles of built-in tools and skills, by id. By default the backend has them, in English. */
import { translatable } from "$language/language.svelte";

type Titles = Record<string, string>;

export const strings = translatable("lib/tool-titles", {
  tools: {} as Titles,
  skills: {} as Titles,
  tiers: {} as Titles,
});

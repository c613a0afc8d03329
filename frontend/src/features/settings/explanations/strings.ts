/** What the settings do, by path, such as `ui.theme`. By default the schemas say it, in English. */
import { translatable } from "$language/language.svelte";

export const strings = translatable("features/settings/explanations", {
  help: {} as Record<string, string>,
});

/** The question before a new mapping is discarded. */
import type { RowDescription } from "$lib/client/types";
import type { UiState } from "$lib/state/ui.svelte";
import { strings } from "./strings";

interface NewMapping {
  description: string;
  words: RowDescription | null;
}

/** Ask whether a new mapping is discarded, and return the answer. */
export function confirmDiscard(ui: UiState, { description, words }: NewMapping): Promise<boolean> {
  const text = [words?.trigger, words?.action].filter(Boolean).join(" → ");
  return ui.confirm({
    title: strings.discardMappingTitle,
    text: strings.discardMappingText(description || text),
    confirm: strings.discard,
    cancel: strings.keepEditing,
    danger: true,
  });
}

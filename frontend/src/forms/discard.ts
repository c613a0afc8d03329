/** The question before a new mapping is discarded. */
import type { RowDescription } from "$lib/client/types";
import type { UiState } from "$lib/state/ui.svelte";
import { strings } from "./strings";

interface NewMapping {
  description: string;
  words: RowDescription | null;
}

/**
 * Ask whether a new mapping is discarded. Resolves to whether it may be left.
 * @param save saves the mapping, which is offered too, and resolves to whether it was saved
 */
export function confirmDiscard(
  ui: UiState,
  { description, words }: NewMapping,
  save?: () => Promise<boolean>,
): Promise<boolean> {
  const text = [words?.trigger, words?.action].filter(Boolean).join(" → ");
  return ui.confirm({
    title: save ? strings.saveMappingTitle : strings.discardMappingTitle,
    text: strings.discardMappingText(description || text),
    confirm: strings.discard,
    cancel: strings.keepEditing,
    danger: true,
    ...(save ? { instead: { label: strings.save, run: save } } : {}),
  });
}

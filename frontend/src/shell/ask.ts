/** The entries of the command palette that pass the query on to other views. */
import type { PaletteItem, UiState } from "$lib/state/ui.svelte";
import { strings } from "./strings";

/** Return the entries that search Knowledge or ask the assistant; none for an empty query. */
export function askItems(ui: UiState, query: string): PaletteItem[] {
  const text = query.trim();
  const item = (id: string, title: string, run: () => void): PaletteItem => ({
    id,
    group: strings.askElsewhere,
    title,
    run,
  });
  return text
    ? [
        item("ask:knowledge", strings.searchKnowledgeFor(text), () =>
          ui.navigate("knowledge", { kind: "search", query: text }),
        ),
        item("ask:chat", strings.askAssistantFor(text), () =>
          ui.navigate("chat", { kind: "message", text }),
        ),
      ]
    : [];
}

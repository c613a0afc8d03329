/** Describes mappings that are being edited. */
import { withNotes } from "$ui/notes.svelte";
import { ApiError, type Client } from "./client/client";
import type { ActionInput, RowDescription, TriggerInput } from "./client/types";

/**
 * Describe a draft with its names for notes and keys. While the action is invalid, as when it has
 * just been chosen, the trigger alone is described.
 * @returns the description, and the error if a field is invalid.
 */
export async function describeDraft(
  client: Client,
  trigger: TriggerInput | null,
  action: ActionInput | null,
): Promise<{ words: RowDescription | null; error: unknown }> {
  const describe = async (shown: ActionInput | null): Promise<RowDescription> => {
    const words = await client.call("config.describe", { trigger, action: shown });
    return { ...words, trigger: withNotes(words.trigger), action: withNotes(words.action) };
  };
  try {
    return { words: await describe(action), error: null };
  } catch (error) {
    const paths = error instanceof ApiError ? Object.keys(error.fields) : [];
    if (!trigger || !paths.length || paths.some((path) => !/^action\b/.test(path)))
      return { words: null, error };
    // The trigger alone is valid, because only fields of the action are not.
    return { words: await describe(null).catch(() => null), error };
  }
}

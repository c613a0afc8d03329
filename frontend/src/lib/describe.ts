/** Describes mappings that are being edited, and finds what this computer lacks for them. */
import { translateSentence } from "$language/sentences";
import { withNoteNames } from "$ui/notes.svelte";
import { ApiError, type Client } from "./client/client";
import type { ActionInput, RowDescription, TriggerInput } from "./client/types";
import { strings } from "./strings";

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
  const describe = async (shown: ActionInput | null): Promise<RowDescription> =>
    withNoteNames(await client.call("config.describe", { trigger, action: shown }));
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

/** Return what a draft uses and this computer lacks, as hints: none if that cannot be checked. */
export async function findMissing(
  client: Client,
  trigger: TriggerInput | null,
  action: ActionInput | null,
): Promise<string[]> {
  try {
    const parts = action ? (await client.call("config.missing", { action })).parts : [];
    const found = parts.map((part) => part.message);
    return usesFrontApp([trigger, action])
      ? [...found, ...(await findFrontProblem(client))]
      : found;
  } catch {
    return [];
  }
}

/** Return whether a condition of a mapping asks for the app in front. */
export const usesFrontApp = (mapping: unknown): boolean =>
  JSON.stringify(mapping).includes('"AppFrontmost"');

/** Return why the app in front is not known, as a hint: none if it is known. */
export async function findFrontProblem(client: Client): Promise<string[]> {
  const { reason } = await client.call("apps.front");
  return reason ? [strings.appInFrontUnknown(translateSentence(reason))] : [];
}

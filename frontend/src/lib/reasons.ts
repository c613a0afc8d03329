/** Words the reasons of changes, which are stored in English, for the history and the activity. */
import { capitalize } from "$language/format";
import { withNotes } from "$ui/notes.svelte";

/** The verbs of reasons that earlier versions wrote as commands, such as “Delete the mode A”. */
const PAST: Record<string, string> = {
  Add: "Added",
  Change: "Changed",
  Copy: "Copied",
  Delete: "Deleted",
  Duplicate: "Duplicated",
  Map: "Mapped",
  Move: "Moved",
  Name: "Named",
  Remove: "Removed",
  Rename: "Renamed",
  Start: "Conductor now starts",
  Swap: "Swapped",
  Switch: "Switched",
};

/** Return the reason of a change in the current language, as a sentence without a full stop. */
export const describeReason = (reason: string): string =>
  capitalize(withNotes(reason).replaceAll("`", ""));

/** Return the reason of a change by the user, which says in the past tense what was done. */
export function describeEdit(reason: string): string {
  const described = describeReason(reason);
  if (described !== capitalize(reason)) return described;
  return describeReason(reason.replace(/^\w+(?= )/, (verb) => PAST[verb] ?? verb));
}

/** Words the reasons of changes, which are stored in English, for the history and the activity. */
import { capitalize, formatDateTime } from "$language/format";
import { parseScope } from "./scopes";
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

/** The time at the end of a reason, such as “restored the version of 30 Nov 15:11”. */
const STORED_TIME = /(?<= of )\d\d [A-Z][a-z]{2} \d\d:\d\d$/;
/** The scope at the end of a reason, such as “restored a mapping of mode:Live”. */
const STORED_SCOPE = /(?<=^restored a mapping of )(?:mode:|profile:|global$).*$/;

/** Return the reason of a change in the current language, as a sentence without a full stop. */
export function describeReason(reason: string): string {
  const readable = reason.replace(STORED_TIME, formatStoredTime).replace(STORED_SCOPE, (scope) => {
    const { kind, name } = parseScope(scope);
    return name ? `${kind} ${name}` : "all modes";
  });
  return capitalize(withNotes(readable).replaceAll("`", ""));
}

function formatStoredTime(text: string): string {
  // The year is not stored. In a leap year, every day of a month is valid.
  const at = new Date(text.replace(/ (?=\d\d:)/, " 2000 "));
  const digits = { hour: "numeric", minute: "2-digit" } as const;
  return formatDateTime(at, { day: "numeric", month: "short", ...digits });
}

/** Return the reason of a change by the user, which says in the past tense what was done. */
export function describeEdit(reason: string): string {
  const described = describeReason(reason);
  if (described !== capitalize(reason)) return described;
  return describeReason(reason.replace(/^\w+(?= )/, (verb) => PAST[verb] ?? verb));
}

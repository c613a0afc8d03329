/** What is shown beside the phrase of a trigger. */
import { kindName } from "./names";

/** The kinds of triggers that are in their phrases, such as “Double tap Pad 3”. */
const KINDS_IN_PHRASES: ReadonlySet<string> = new Set([
  "LongPress",
  "DoubleTap",
  "NoteChord",
  "NoteRelease",
  "VelocityRange",
  "Aftertouch",
  "PitchBend",
  "Nrpn",
  "GamepadButtonChord",
  "OscMessage",
]);

/** Return the name of a trigger's kind; null if its phrase says it already. */
export function kindBesidePhrase(tag: string, phrase: string): string | null {
  const name = kindName(tag);
  return KINDS_IN_PHRASES.has(tag) || phrase.startsWith(name) ? null : name;
}

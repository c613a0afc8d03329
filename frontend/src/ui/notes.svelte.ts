/** What notes are called everywhere in the page: Conductor's words have middle C (60) as C3. */
const PITCHES = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
const NAMED = /\b(\d{1,3}) \(([A-G]#?-?\d{1,2})\)/g;

class Notes {
  /** What middle C is called; the settings say it. */
  middle = $state<"C3" | "C4">("C3");
}
export const notes = new Notes();

/** Gives words with their notes, such as `36 (C1)`, as the settings call them. */
export function withNotes(text: string): string {
  if (notes.middle === "C3") return text;
  return text.replace(NAMED, (all, number: string, name: string) => {
    const note = Number(number);
    const pitch = PITCHES[note % 12]!;
    const octave = Math.floor(note / 12) - 2;
    return name === `${pitch}${octave}` ? `${number} (${pitch}${octave + 1})` : all;
  });
}

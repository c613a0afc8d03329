/**
 * The names of notes and keys in the page. The backend's texts call middle C (60) C3, and use
 * `cmd`.
 */
const PITCHES = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
const NAMED = /\b(\d{1,3}) \(([A-G]#?-?\d{1,2})\)/g;

class NoteNaming {
  /** The name of middle C in the settings. */
  middle = $state<"C3" | "C4">("C3");
  /** The key that `cmd` presses, as in the settings. */
  cmd = $state("auto");
  /** The platform of the backend. */
  platform = $state("");

  get ctrl(): boolean {
    return (
      this.cmd === "ctrl" ||
      (this.cmd === "auto" && this.platform !== "" && this.platform !== "darwin")
    );
  }
}
export const notes = new NoteNaming();

/**
 * Replace notes and keys in a text by names such as `36 (C1)` and `Cmd+C`, as the settings and the
 * platform name them.
 */
export function withNotes(text: string): string {
  const keys = notes.ctrl ? text.replace(/\bCmd\+/g, "Ctrl+") : text;
  if (notes.middle === "C3") return keys;
  return keys.replace(NAMED, (all, number: string, name: string) => {
    const note = Number(number);
    const pitch = PITCHES[note % 12]!;
    const octave = Math.floor(note / 12) - 2;
    return name === `${pitch}${octave}` ? `${number} (${pitch}${octave + 1})` : all;
  });
}

/**
 * What notes and keys are called everywhere in the page: Conductor's words have middle C (60) as
 * C3, and `cmd` as Cmd.
 */
const PITCHES = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"];
const NAMED = /\b(\d{1,3}) \(([A-G]#?-?\d{1,2})\)/g;

class Notes {
  /** What middle C is called; the settings say it. */
  middle = $state<"C3" | "C4">("C3");
  /** What `cmd` presses; the settings say it. */
  cmd = $state("auto");
  /** Where Conductor runs. */
  platform = $state("");

  get ctrl(): boolean {
    return (
      this.cmd === "ctrl" ||
      (this.cmd === "auto" && this.platform !== "" && this.platform !== "darwin")
    );
  }
}
export const notes = new Notes();

/**
 * Gives words with their notes and keys, such as `36 (C1)` and `Cmd+C`, as the settings and the
 * system call them.
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

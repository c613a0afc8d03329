/** Sentences of the backend are shown in German, whatever they are composed of. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeChange } from "$forms/changes/settings";
import { language } from "$language/language.svelte";
import { keepOwnNames, translateSentence } from "$language/sentences";
import { notes, withNoteNames, withNotes } from "$ui/notes.svelte";

beforeEach(() => language.choose("de"));
afterEach(() => {
  localStorage.clear();
  notes.middle = "C3";
});

describe("a sentence of the backend", () => {
  it.each([
    ["Hold 36 (C1) 600 ms", "36 (C1) 600 ms halten"],
    ["Hold Pad 1 (note 36) 600 ms (others wait)", "Pad 1 (Note 36) 600 ms halten (andere warten)"],
    ["Note 36 (C1) velocity 90+", "Note 36 (C1) ab Anschlagstärke 90"],
    [
      "Volume up 5 %, then wait 20 ms, then Mode Live",
      "5 % lauter, dann 20 ms warten, dann Modus Live",
    ],
    ["Mode Live while held", "Modus Live, solange gehalten"],
    ["note 38 (D1), note 39, CC 20", "Note 38 (D1), Note 39, CC 20"],
    ["If so Mute the sound, else Next mode", "Wenn ja: Ton ausschalten, sonst: Nächster Modus"],
    [
      "In 15 seconds of recorded input: 4 actions would change. 2 presses of Pad 1 (note 36) that " +
        "did `Hold pad 1` would now do `Tap pad 1`. 2 presses of Pad 1 (note 36) would do " +
        "`Tap pad 1` 200 to 202 ms later.",
      "In 15 Sekunden aufgezeichneter Eingaben: 4 Aktionen würden sich ändern. 2-mal Pad 1 " +
        "(Note 36) gedrückt: bisher `Hold pad 1`, jetzt `Tap pad 1`. 2-mal Pad 1 (Note 36) " +
        "gedrückt: `Tap pad 1` 200 bis 202 ms später.",
    ],
    [
      "5 presses of MIC (note 36) would now do Mute the sound. 1 release of Pad 1 (note 36) in " +
        "mode Live would now also do Volume up 5 %, then wait 20 ms, then Mute on/off. 2 moves " +
        "of CC 7 that did Volume follows the control would now do nothing.",
      "5-mal MIC (Note 36) gedrückt: jetzt Ton ausschalten. 1-mal Pad 1 (Note 36) im Modus Live " +
        "losgelassen: jetzt auch 5 % lauter, dann 20 ms warten, dann Ton aus/ein. 2-mal CC 7 " +
        "bewegt: bisher Lautstärke folgt dem Bedienelement, jetzt nichts.",
    ],
    [
      "Tools of other programs and services: tools of MCP servers.",
      "Tools anderer Programme und Dienste: Tools von MCP-Servern.",
    ],
    [
      "no MIDI output named `Synth`; there are no outputs now; plug one in",
      "Kein MIDI-Ausgang namens `Synth`; zurzeit gibt es keine Ausgänge; einen anschließen",
    ],
    [
      "no MIDI output named `Synth`; outputs are `Through`, `Piano`",
      "Kein MIDI-Ausgang namens `Synth`; vorhanden sind `Through`, `Piano`",
    ],
    [
      "fired (second press after 83 ms), but Ctrl+V failed: the X server does not respond: is " +
        "the desktop session frozen?",
      "ausgelöst (zweiter Druck nach 83 ms), aber Ctrl+V ist fehlgeschlagen: Der X-Server " +
        "antwortet nicht: ist die Desktop-Sitzung eingefroren?",
    ],
    [
      "`Hit, mapping 4 of mode Live` fired (at once: nothing else could follow), but MIDI NoteOn " +
        "to Synth failed: no MIDI output named `Synth`; there are no outputs now; plug one in",
      "`Hit, Mapping 4 von Modus Live` wurde ausgelöst (sofort: nichts anderes konnte folgen), " +
        "aber MIDI NoteOn an Synth ist fehlgeschlagen: Kein MIDI-Ausgang namens `Synth`; " +
        "zurzeit gibt es keine Ausgänge; einen anschließen",
    ],
    ["Note 38 (D1) ch 10", "Note 38 (D1) Kanal 10"],
    ["note 38 (D1) ch 10", "Note 38 (D1) Kanal 10"],
    ["Double tap 38 (D1) ch 10", "38 (D1) Kanal 10 doppelt tippen"],
    ["CC 7 ch 1", "CC 7 Kanal 1"],
    ["Note 36 (C1) on virtual channel 10", "Note 36 (C1) an virtual, Kanal 10"],
    [
      "Send note 37 (C#1) to virtual while held (velocity 100)",
      "Note 37 (C#1) an virtual senden, solange gehalten (Anschlagstärke 100)",
    ],
    ["Kick, note 36 (C1) ch 10 velocity 100", "Kick, Note 36 (C1) Kanal 10 Anschlagstärke 100"],
    ["Kick, note 36 (C1) ch 10 up", "Kick, Note 36 (C1) Kanal 10 losgelassen"],
    [
      "Proposed: Hold Pad 3 500 ms -> Ctrl+Z, in mode Default.",
      "Vorgeschlagen: Pad 3 500 ms halten -> Ctrl+Z, im Modus Default.",
    ],
    [
      "Proposed: Change “Copy selection” in mode Default: Volume up. It keeps the name “Copy " +
        "selection”.",
      "Vorgeschlagen: Ändern: „Copy selection“ im Modus Default: Lauter. Der Name „Copy " +
        "selection“ bleibt.",
    ],
    [
      "Double tap Pad 1 -> Volume up, in all modes",
      "Pad 1 doppelt tippen -> Lauter, in allen Modi",
    ],
    [
      "Change “Copy” in all modes: do Volume up, name it “louder”",
      "Ändern: „Copy“ in allen Modi: Aktion Lauter, Name „louder“",
    ],
    [
      "Change “Copy” in mode Live: remove its name",
      "Ändern: „Copy“ im Modus Live: Namen entfernen",
    ],
    ["Delete “Twice”, mapping 4 of mode Live", "Löschen: „Twice“, Mapping 4 von Modus Live"],
    ["config loaded: 4 mappings", "Konfiguration geladen: 4 Mappings"],
    ["MCP server lights switched on", "MCP-Server lights eingeschaltet"],
    ["engine.allow_shell: false becomes true", "engine.allow_shell: false wird zu true"],
    ["held 431 ms, long press needs 500 ms", "431 ms gehalten, der lange Druck braucht 500 ms"],
    ["`Undo` did not fire: device pads was muted", "`Undo` löste nicht aus: Gerät pads war stumm"],
    [
      "Add Release 40 (E1) -> Volume down to mode Default",
      "Neu im Modus Default: 40 (E1) loslassen -> Leiser",
    ],
    [
      "the double tap of note 60 on pad (`two taps, mapping 2 of mode Live`) delays its tap " +
        "(`tap, mapping 1 of mode Live`) by 700 ms",
      "das Doppeltippen von Note 60 an pad (`two taps, Mapping 2 von Modus Live`) verzögert das " +
        "einfache Tippen (`tap, Mapping 1 von Modus Live`) um 700 ms",
    ],
    [
      "the double tap of Pad 3 delays its tap by 250 ms",
      "das Doppeltippen von Pad 3 verzögert das einfache Tippen um 250 ms",
    ],
    [
      "the long press of Pad 3 (`hold, mapping 2 of mode Live`, 500 ms) delays its tap (`tap, " +
        "mapping 1 of mode Live`) until it is released; shift is tapped instead of held",
      "der lange Druck von Pad 3 (`hold, Mapping 2 von Modus Live`, 500 ms) verzögert das Tippen " +
        "(`tap, Mapping 1 von Modus Live`) bis zum Loslassen; shift wird getippt statt gehalten",
    ],
    [
      "`paste, mapping 1 of all modes` never acts in mode Live: `go, mapping 2 of mode Live` goes " +
        "first",
      "im Modus Live löst `paste, Mapping 1 aller Modi` nie aus: `go, Mapping 2 von Modus " +
        "Live` kommt zuerst",
    ],
    [
      "Double tap Pad 8 (note 43 ch 10) -> Ctrl+X",
      "Pad 8 (Note 43 Kanal 10) doppelt tippen -> Ctrl+X",
    ],
    ["Release Pad 8 (note 43 ch 10) -> Volume up", "Pad 8 (Note 43 Kanal 10) loslassen -> Lauter"],
    ["#2 Double tap Pad 3 → Volume up", "#2 Pad 3 doppelt tippen → Lauter"],
    [
      "#2 in mode Live: Hold Pad 3 400 ms → Volume up — Louder (off)",
      "#2 im Modus Live: Pad 3 400 ms halten → Lauter — Louder (aus)",
    ],
    [
      "Delete Double tap Pad 3 → Volume up in mode Live",
      "Löschen: Pad 3 doppelt tippen → Lauter im Modus Live",
    ],
    [
      "1 press of Pad 3 (note 38) in mode Live would now do `paste`.",
      "1-mal Pad 3 (Note 38) im Modus Live gedrückt: jetzt `paste`.",
    ],
    [
      "Change Undo in mode Stream: fire on Pad 2",
      "Ändern: Undo im Modus Stream: auslösen bei Pad 2",
    ],
    [
      "Change Pad 1: bass note, mapping 1 of mode Default: fire on Double tap 36 (C1), do Volume up",
      "Ändern: Pad 1: bass note, Mapping 1 von Modus Default: auslösen bei 36 (C1) doppelt tippen, " +
        "Aktion Lauter",
    ],
    [
      "Add Note 1 -> Volume up to mode A; Add Note 2 -> Volume down to mode A; Add Note 3 -> " +
        "Mute the sound to all modes; Delete mode B; Rename mode C to D; and 2 more",
      "Neu im Modus A: Note 1 -> Lauter; Neu im Modus A: Note 2 -> Leiser; Neu in allen Modi: " +
        "Note 3 -> Ton ausschalten; Modus B löschen; Modus C in D umbenennen; und 2 weitere",
    ],
    ["a mapping of mode Default", "ein Mapping von Modus Default"],
    [
      'Change mapping 3 of mode Live: do Volume up, switch it off, call it "louder"',
      "Ändern: Mapping 3 von Modus Live: Aktion Lauter, ausschalten, Name „louder“",
    ],
    [
      "Move Pad 2, mapping 1 of mode Live to the end of mode Stage",
      "Verschieben ans Ende von Modus Stage: Pad 2, Mapping 1 von Modus Live",
    ],
    ["waiting: the gesture is not decided yet", "wartet: die Geste ist noch nicht entschieden"],
    [
      "`Copy, mapping 1 of mode Default` did Ctrl+C (released after 41 ms)",
      "`Copy, Mapping 1 von Modus Default` bewirkte: Ctrl+C (nach 41 ms losgelassen)",
    ],
    ["did Ctrl+C (released after 41 ms)", "bewirkte: Ctrl+C (nach 41 ms losgelassen)"],
    ["Type “hello, it is the day”", "„hello, it is the day“ eingeben"],
    [
      "May change: Pad 2 (note 37 ch 10) on pads in mode Live; which mode is active (A, B). " +
        "Everything else stays the same.",
      "Kann sich ändern: Pad 2 (Note 37 Kanal 10) an pads im Modus Live; welcher Modus aktiv ist " +
        "(A, B). Alles andere bleibt gleich.",
    ],
    ["mode Verse was active", "Modus Verse war aktiv"],
    [
      "did not fire: held 431 ms, long press needs 500 ms",
      "löste nicht aus: 431 ms gehalten, der lange Druck braucht 500 ms",
    ],
    ["CC 7 on channel 1", "CC 7 auf Kanal 1"],
    [
      "agents over A2A are not served, because agents are switched off: set llm.mcp.enabled to true " +
        "(Settings > Agents (MCP) > Serve agents), or llm.a2a.enabled to false",
      "Agenten über A2A haben keinen Zugang, weil Agenten ausgeschaltet sind: llm.mcp.enabled auf " +
        "true setzen (Einstellungen > Agenten (MCP) > Agenten zulassen) oder llm.a2a.enabled auf " +
        "false",
    ],
    [
      "the certificate for agents on other computers was not reloaded: the certificate /etc/a.pem " +
        "expired on 2026-11-01: renew it. The previous certificate, valid until 2026-11-01, stays in use",
      "Das Zertifikat für Agenten auf anderen Computern wurde nicht neu geladen: das Zertifikat " +
        "/etc/a.pem ist am 2026-11-01 abgelaufen: es erneuern. Das vorige, gültig bis 2026-11-01, " +
        "bleibt in Gebrauch",
    ],
    [
      "A2A cannot listen on port 8766; set llm.a2a.http_port to a free one: Address already in use",
      "A2A kann Port 8766 nicht öffnen; llm.a2a.http_port auf einen freien setzen: Address already " +
        "in use",
    ],
    ["Light note 12 red", "Licht Note 12 red"],
    [
      "May change: note 36 (C1) on pads in modes Live, Edit. Everything else stays the same.",
      "Kann sich ändern: Note 36 (C1) an pads in den Modi Live, Edit. Alles andere bleibt gleich.",
    ],
  ])("%s", (english, german) => {
    expect(translateSentence(english)).toBe(german);
  });

  it("keeps what the user has written", () => {
    expect(translateSentence("Type “Hold 36 600 ms”")).toBe("„Hold 36 600 ms“ eingeben");
    expect(translateSentence("Rename mode Scroll to Pressure")).toBe(
      "Modus Scroll in Pressure umbenennen",
    );
  });

  it("stays English as a whole if a part has no translation", () => {
    const unknown = "the stars stand badly, and this was known";
    expect(translateSentence(unknown)).toBe(unknown);
    expect(translateSentence(`condition not met: ${unknown}`)).toBe(
      `condition not met: ${unknown}`,
    );
  });

  it("stays English without a translation, and in English", async () => {
    expect(translateSentence("A sentence of tomorrow.")).toBe("A sentence of tomorrow.");
    await language.choose("en");
    expect(translateSentence("Volume up")).toBe("Volume up");
  });

  it.each([
    [
      "The last mode cannot be deleted; create another one first.",
      "Der letzte Modus lässt sich nicht löschen; zuerst einen anderen anlegen.",
    ],
    [
      "The config changed since plan 7 was made; propose it again",
      "Die Konfiguration hat sich seit dem Plan 7 geändert; neu vorschlagen",
    ],
  ])("is known with and without a capital and a full stop: %s", (english, german) => {
    expect(translateSentence(english)).toBe(german);
  });

  it("leaves the names that the user has given", () => {
    expect(translateSentence("Push to talk")).toBe("Sprechen, solange gehalten");
    keepOwnNames(["Push to talk"]);
    expect(translateSentence("Push to talk")).toBe("Push to talk");
    expect(translateSentence("Double tap Push to talk")).toBe("Push to talk doppelt tippen");
    keepOwnNames([]);
  });

  it("stays English in a text that is stored", () => {
    const told = { trigger: "Double tap 60 (C3)", action: "Volume up" };
    const shown = withNoteNames(told);
    expect(shown.trigger).toBe("60 (C3) doppelt tippen");
    expect(language.inEnglish(() => `${shown.trigger} ${shown.action}`)).toBe(
      "Double tap 60 (C3) Volume up",
    );
  });

  it("has the names of notes and keys that the user knows", () => {
    notes.middle = "C4";
    expect(withNotes("Double tap 60 (C3)")).toBe("60 (C4) doppelt tippen");
    expect(withNotes("Ctrl+Shift+M")).toBe("Strg+Umschalt+M");
    expect(withNotes("Ctrl+Space")).toBe("Strg+Leertaste");
    expect(withNotes("Space")).toBe("Leertaste");
  });
});

describe("a sentence about the built-in controller", () => {
  it.each([
    [
      "May change: Pad 6 (note 41) on virtual in modes A, B; " +
        "Pad 5 (note 40) on virtual, Pad 7 (note 42) on virtual in mode A. " +
        "Everything else stays the same.",
      "Kann sich ändern: Pad 6 (Note 41) an Virtueller Controller in den Modi A, B; " +
        "Pad 5 (Note 40) an Virtueller Controller, Pad 7 (Note 42) an Virtueller Controller im " +
        "Modus A. Alles andere bleibt gleich.",
    ],
    ["the virtual controller", "der virtuelle Controller"],
    ["it waits for the chord `C major`", "es wartet auf den Akkord `C major`"],
    ["Ctrl+Z after 500 ms", "Strg+Z nach 500 ms"],
  ])("%s", (english, german) => {
    expect(withNotes(english)).toBe(german);
  });

  it("names what a version adds or removes", async () => {
    expect(["Profile the obs", "Device pads", "Mode It is"].map(describeChange)).toEqual([
      "Profil the obs",
      "Gerät pads",
      "Modus It is",
    ]);
    expect(describeChange("Modes in the order A, B")).toBeNull();
  });
});

describe("a warning of a plan", () => {
  it.each([
    ["This mapping runs a program: obs", "Dieses Mapping startet ein Programm: obs"],
    [
      "This mapping opens a link: https://twitch.tv/the",
      "Dieses Mapping öffnet einen Link: https://twitch.tv/the",
    ],
    [
      "Mapping 6 of mode Default: there is no program or app `obs` on this computer",
      "Mapping 6 von Modus Default: auf diesem Computer gibt es kein Programm und keine App `obs`",
    ],
    [
      "Mapping 1 of all modes: there is no program `obz` on this computer - did you mean `obs`?",
      "Mapping 1 aller Modi: auf diesem Computer gibt es kein Programm `obz`. Gemeint war vielleicht `obs`.",
    ],
    [
      "Mapping 2 of profile It is: no MIDI output is called `Synth` now; there is `a`, `b`",
      "Mapping 2 von Profil It is: zurzeit heißt kein MIDI-Ausgang `Synth`; es gibt `a`, `b`",
    ],
  ])("%s", (english, german) => {
    expect(translateSentence(english)).toBe(german);
  });
});

describe("an entry of the history", () => {
  it.each([
    ["Added Hold 36 (C1) 600 ms", "36 (C1) 600 ms halten hinzugefügt"],
    ["Mapped “The horn”", "„The horn“ zugewiesen"],
    ["Mapped Hold 36 (C1) 600 ms", "36 (C1) 600 ms halten zugewiesen"],
    ["Changed “The volume of it”", "„The volume of it“ geändert"],
    ["Switched 3 mappings off", "3 Mappings ausgeschaltet"],
    ["Switched off 3 mappings", "3 Mappings ausgeschaltet"],
    ["Mapped Hold Kick 500 ms -> Ctrl+Z", "Kick 500 ms halten -> Ctrl+Z zugewiesen"],
    ["Deleted Hold Kick 500 ms -> Ctrl+Z", "Kick 500 ms halten -> Ctrl+Z gelöscht"],
    ["Switched off Hold Kick 500 ms -> A", "Kick 500 ms halten -> A ausgeschaltet"],
    ["Changed Pad 2 into Hold Pad 5 500 ms -> A", "Pad 2 geändert in Pad 5 500 ms halten -> A"],
    ["Moved Hold Kick 500 ms -> A to Edit", "Kick 500 ms halten -> A nach Edit verschoben"],
    ["Moved Undo to All modes", "Undo nach Alle Modi verschoben"],
    ["Moved Undo to Edit", "Undo nach Edit verschoben"],
    ["Renamed the mode Live to Stage", "Den Modus Live in Stage umbenannt"],
    ["Added the mode Live", "Den Modus Live hinzugefügt"],
    ["Theme: dark", "Erscheinungsbild: dunkel"],
    ["Delete Undo (edited)", "Löschen: Undo (bearbeitet)"],
    [
      "Hold Kick 500 ms -> Ctrl+Z, in all modes (edited)",
      "Kick 500 ms halten -> Ctrl+Z, in allen Modi (bearbeitet)",
    ],
  ])("%s", (english, german) => {
    expect(translateSentence(english)).toBe(german);
  });

  it("is an English text of the page, so that it is found again", async () => {
    const { reasons } = await import("../src/reasons.de");
    await language.choose("en");
    const texts = new Set<string>();
    for (const folder of Object.values(import.meta.glob("../src/**/strings.ts", { eager: true })))
      for (const text of Object.values((folder as { strings: object }).strings))
        for (const shown of wordings(text)) texts.add(shown);
    const unknown = reasons.map(([english]) => english.replace(/\{\w+\}/g, "{}"));
    // Older versions of Conductor wrote this one.
    expect(unknown.filter((english) => !texts.has(english))).toEqual(["Created mode {}"]);
  });
});

/** Return a text of the page with `{}` for its values, for each choice it makes. */
function wordings(text: unknown): string[] {
  if (typeof text === "string") return [text];
  if (typeof text !== "function") return [];
  const say = (...values: unknown[]): string => {
    try {
      return (text as (...values: unknown[]) => string)(...values);
    } catch {
      return ""; // a text of other values, such as numbers
    }
  };
  const choices = ["{}", "All modes", "a control", "system", "dark", "light", "en", "de"];
  return choices.flatMap((choice) =>
    [choice, true, false].flatMap((last) => [say(choice), say("{}", last)]),
  );
}

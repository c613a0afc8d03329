/** Pure functions of the modes, profiles, devices, history and settings views. */
import { describe, expect, it } from "vitest";
import {
  describeAction,
  describeDetail,
  formatDuration,
  outcomeLabel,
  toolLabel,
  requesterName,
} from "$features/activity/entry";
import { strings as activityStrings } from "$features/activity/strings";
import { buildEntries, matcherFor, matchesPort, suggestAlias } from "$features/devices/entries";
import { describeVersion, parseSummaryLine } from "$features/history/versions";
import { countOf, countTitles, groupByDay, groupEntries } from "$features/activity/timeline";
import {
  ANYWHERE,
  PREVIOUS_MODE,
  findDeadEnds,
  findUnreachable,
  findModeChanges,
  findWays,
} from "$features/modes/graph";
import { CARD, layoutModes } from "$features/modes/layout";
import { countLines } from "$lib/text";
import { planRemoval } from "$features/modes/removal";
import { matchesApp, matchForApp, suggestName } from "$features/profiles/match";
import { describeChange, describeSetting } from "$forms/changes/settings";
import { listSettingFields, settingLabel } from "$forms/changes/settings";
import { allGroups, toPatch, searchSettings, settingValue } from "$features/settings/settings";
import { language } from "$language/language.svelte";
import type { ActivityEntry, DeviceView, Mapping, VersionRow } from "$lib/client/types";
import type { PlacedRow } from "$lib/state/config.svelte";
import { notes, withNotes } from "$ui";
import { CONFIG } from "./sample";

const MODES = ["Default", "Stream", "Live"];
function row(scope: string, action: unknown, over: Partial<Mapping> = {}): PlacedRow {
  const mapping = {
    description: null,
    enabled: true,
    trigger: { type: "Note", note: 36 },
    action,
    ...over,
  } as unknown as Mapping;
  return {
    scope,
    index: 0,
    mapping,
    words: {
      trigger: "Note 36",
      numbers: "",
      printed: "",
      action: "",
      badges: [],
      device: null,
      controls: [],
    },
  };
}
const change = (mode: string | null, behaviour = "switch") => ({
  type: "ModeChange",
  mode,
  behaviour,
});

interface Corner {
  x: number;
  y: number;
}
/** Return whether two lines run along each other. */
function sharesSegment(a: readonly Corner[], b: readonly Corner[]): boolean {
  const segments = (points: readonly Corner[]): [Corner, Corner][] =>
    points.slice(1).map((end, index) => [points[index]!, end]);
  return segments(a).some(([a1, a2]) =>
    segments(b).some(([b1, b2]) => {
      for (const [along, across] of [
        ["x", "y"],
        ["y", "x"],
      ] as const) {
        if (a1[across] !== a2[across] || b1[across] !== b2[across]) continue;
        if (a1[across] !== b1[across]) continue;
        const shared =
          Math.min(Math.max(a1[along], a2[along]), Math.max(b1[along], b2[along])) -
          Math.max(Math.min(a1[along], a2[along]), Math.min(b1[along], b2[along]));
        if (shared > 0) return true;
      }
      return false;
    }),
  );
}

describe("the map of modes", () => {
  it("finds mode changes in sequences and conditions, not in disabled mappings", () => {
    const deep = {
      type: "Sequence",
      actions: [
        {
          type: "Conditional",
          then: change("Live"),
          else: { type: "Repeat", action: change("Default") },
        },
      ],
    };
    const found = findModeChanges(
      [row("mode:Stream", deep), row("mode:Stream", change("Live"), { enabled: false })],
      MODES,
      [],
    );
    expect(found.map((way) => [way.from, way.to])).toEqual([
      ["Stream", "Live"],
      ["Stream", "Default"],
    ]);
  });

  it("leads next and previous to the neighbour, around the end", () => {
    const found = findModeChanges(
      [
        row("mode:Live", change(null, "next")),
        row("mode:Default", change(null, "previous")),
        row("global", change(null, "next")),
      ],
      MODES,
      [],
    );
    expect(found.map((way) => way.to)).toEqual(["Default", "Live", ""]);
  });

  it("lists a way there and back in all modes as a way out of and into each mode", () => {
    const ways = findModeChanges([row("global", change("Live", "toggle"))], MODES, []);
    const live = findWays("Live", ways);
    expect(live.into.map((way) => way.from)).toEqual([ANYWHERE]);
    expect(live.out.map((way) => way.to)).toEqual([PREVIOUS_MODE]);
    const start = findWays("Default", ways);
    expect(start.into.map((way) => [way.from, way.isBack])).toEqual([["Live", true]]);
    expect(start.out.map((way) => way.to)).toEqual(["Live"]);
  });
  it("marks a mode that nothing leads back from, and takes no toggle for a way back", () => {
    const deadEnds = (...rows: PlacedRow[]) => [
      ...findDeadEnds(MODES, findModeChanges(rows, MODES, CONFIG.config.profiles)),
    ];
    const toggle = change("Live", "toggle");
    expect(deadEnds(row("mode:Default", toggle))).toEqual(["Live"]);
    expect(findModeChanges([row("mode:Default", toggle)], MODES, [])[0]!.behaviour).toBe("switch");
    expect(deadEnds(row("global", toggle))).toEqual([]);
    const back = change("Default");
    expect(deadEnds(row("mode:Default", toggle), row("mode:Live", back))).toEqual([]);
    expect(deadEnds(row("mode:Default", toggle), row("global", back))).toEqual([]);
    expect(deadEnds(row("mode:Default", toggle), row("profile:OBS", back))).toEqual(["Live"]);
    expect(deadEnds(row("mode:Default", change("Live", "momentary")))).toEqual([]);
  });
  it("lists no way back for a way there and back that works in one mode only", () => {
    const ways = findModeChanges([row("mode:Default", change("Live", "toggle"))], MODES, []);
    expect(findWays("Live", ways).out).toEqual([]);
    expect(findWays("Default", ways).into).toEqual([]);
  });
  it("shows a profile's mode as entered from anywhere", () => {
    expect(findModeChanges([], MODES, CONFIG.config.profiles)).toMatchObject([
      { behaviour: "profile", from: ANYWHERE, to: "Stream", by: "OBS" },
    ]);
  });

  /** Return the ways of a graph in which every mode leads to every other one, and one leads nowhere. */
  function allWays(modes: readonly string[]): ReturnType<typeof findModeChanges> {
    const rows = [...modes.map((mode) => `mode:${mode}`), "global"].flatMap((scope) =>
      modes.filter((to) => scope !== `mode:${to}`).map((to) => row(scope, change(to))),
    );
    return findModeChanges([...rows, row("global", change(null, "next"))], modes, []);
  }
  const SIZES = [320, 480, 540, 792, 1112, 1600];

  it("gives every mode a place of its own, also in a ring and without any way", () => {
    for (const ways of [allWays(MODES), []])
      for (const available of SIZES) {
        const { cards, cardWidth, width, height } = layoutModes(
          [...MODES, "Attic"],
          "Default",
          ways,
          available,
        );
        expect(
          cards
            .filter((card) => card.id !== ANYWHERE)
            .map((card) => card.id)
            .sort(),
        ).toEqual(["Attic", ...MODES].sort());
        cards.forEach((a, index) => {
          expect(a.x >= 0 && a.y >= 0 && a.x + cardWidth <= width).toBe(true);
          expect(a.y + a.height <= height).toBe(true);
          for (const b of cards.slice(index + 1))
            expect(a.column !== b.column || a.y + a.height <= b.y || b.y + b.height <= a.y).toBe(
              true,
            );
        });
      }
  });

  it("draws no line across a mode, a text or along another line", () => {
    const modes = ["Default", "Stream", "Live", "Mix", "Lights", "Attic"];
    for (const count of [2, 3, 4, 5, 6])
      for (const available of SIZES) {
        const some = modes.slice(0, count);
        const ways = allWays(some);
        const { cards, lines, cardWidth } = layoutModes(some, "Default", ways, available);
        expect(lines).toHaveLength(ways.filter((way) => way.to).length);
        for (const { points, from, to } of lines) {
          points.slice(1).forEach((end, index) => {
            const start = points[index]!;
            expect(start.x === end.x || start.y === end.y).toBe(true);
            for (const card of cards) {
              const isCrossed =
                Math.max(start.x, end.x) > card.x &&
                Math.min(start.x, end.x) < card.x + cardWidth &&
                Math.max(start.y, end.y) > card.y &&
                Math.min(start.y, end.y) < card.y + card.height;
              expect(isCrossed, `${from} -> ${to} crosses ${card.id} at ${available}`).toBe(false);
            }
          });
        }
        lines.forEach((a, index) => {
          for (const b of lines.slice(index + 1))
            if (a.to !== b.to)
              expect(sharesSegment(a.points, b.points), `${a.key}, ${b.key} at ${available}`).toBe(
                false,
              );
        });
      }
  });

  it("ends each line at the head of its mode, with a row of its own at its start", () => {
    const { cards, lines } = layoutModes(MODES, "Default", allWays(MODES), 1112);
    for (const { from, to, points, way } of lines) {
      const [source, target] = [from, to].map((id) => cards.find((card) => card.id === id)!);
      const start = source!.rows.find((one) => one.way === way)!;
      expect(points[0]!.y).toBe(source!.y + start.y + CARD.row / 2);
      expect(points.at(-1)!.y).toBeGreaterThan(target!.y);
      expect(points.at(-1)!.y).toBeLessThan(target!.y + target!.head);
    }
  });

  it("counts the ways that have no row of their own", () => {
    const rows = Array.from({ length: 12 }, () => row("mode:Default", change("Stream")));
    const [card] = layoutModes(MODES, "Default", findModeChanges(rows, MODES, []), 800).cards;
    expect([card!.rows.length, card!.further]).toEqual([7, 5]);
  });

  it("has room for long names in as many lines as they need, and never less than one", () => {
    const long = "A rehearsal with the whole band and the lights";
    const rows = [row("mode:Default", change(long)), row("mode:Default", change("Live"))];
    const modes = ["Default", "Live", long];
    const { cards, cardWidth } = layoutModes(
      modes,
      "Default",
      findModeChanges(rows, modes, []),
      540,
    );
    const [start, , last] = modes.map((name) => cards.find((card) => card.id === name)!);
    expect(last!.head - CARD.head).toBe(
      (countLines(long, (cardWidth - 32) * 0.9, 13) - 1) * CARD.line,
    );
    expect(last!.head).toBeGreaterThan(CARD.head);
    expect(start!.rows.map(({ isStacked }) => isStacked)).toEqual([true, false]);
    const [stacked, single] = start!.rows;
    expect(single!.y).toBe(stacked!.y + stacked!.height);
    expect(start!.height).toBe(single!.y + CARD.row + CARD.foot);
  });

  it("gives the reason for a mode that cannot be entered", () => {
    const overlap = {
      kind: "unreachable_mode",
      severity: "warning",
      message: "no way in",
      places: ["mode:Live"],
      is_new: false,
      gesture: null,
      tap_wait: null,
    } as const;
    expect(
      findUnreachable([{ ...overlap, places: ["mode:Live"], control_names: [] }]).get("Live"),
    ).toBe("no way in");
  });

  it("deletes with a mode what leads to it, and says so", () => {
    const found = planRemoval("Stream", CONFIG.config, [row("mode:Default", change("Stream"))]);
    expect(found.changes.map((one) => one.change_type)).toEqual([
      "DeleteMapping",
      "UpdateProfile",
      "DeleteMode",
    ]);
    expect(found.breaks.join(" ")).toMatch(/Note 36 \(Default\).*OBS/s);
    const named = row("mode:Default", change("Stream"));
    named.mapping = { ...named.mapping, description: "On air" };
    expect(planRemoval("Stream", CONFIG.config, [named]).breaks.join(" ")).toMatch(
      /“On air” \(Default\)/,
    );
  });
});

describe("the app in front", () => {
  const app = { executable: "Obs", bundle_id: "", title: "OBS 31 - Scene" };
  const match = { executable: "obs", bundle_id: null, title_regex: null };

  it("fits in any case, when all that is given fits", () => {
    expect(matchesApp(match, app)).toBe(true);
    expect(matchesApp({ ...match, title_regex: "Scene$" }, app)).toBe(true);
    expect(matchesApp({ ...match, title_regex: "(?i)scene" }, app)).toBe(true);
    expect(matchesApp({ ...match, title_regex: "Studio" }, app)).toBe(false);
  });

  it("does not pretend to know: no app, or a pattern that only Python reads", () => {
    expect(matchesApp(match, null)).toBeNull();
    expect(matchesApp({ ...match, title_regex: "(?P<x>Scene)" }, app)).toBeNull();
  });

  it("leaves a pattern that could freeze the window to Conductor", () => {
    const long = { ...app, title: "a".repeat(40) + "!" };
    for (const pattern of [
      "^(\\w+\\s?)+ - Video$",
      "a?".repeat(40) + "a".repeat(41),
      "a*a*a*a*b",
    ]) {
      expect(matchesApp({ ...match, title_regex: pattern }, long)).toBeNull();
    }
    expect(
      matchesApp({ ...match, title_regex: "^\\w+" }, { ...app, title: "Übersicht" }),
    ).toBeNull();
  });

  it("gets a profile with a name that is free", () => {
    expect(suggestName(app, ["Obs"])).toBe("Obs 2");
    expect(suggestName({ ...app, executable: "obs.exe" }, ["Obs"])).toBe("obs");
    expect(matchForApp({ executable: "", bundle_id: "", title: "a.b (c)" }).title_regex).toBe(
      "^a\\.b \\(c\\)",
    );
  });
});

describe("devices", () => {
  const port = (device_id: string, port_name = "LPD8"): DeviceView => ({
    device_id,
    port_name,
    kind: "midi_input",
    connected: true,
    enabled: true,
    is_configured: false,
    problem: null,
    battery: null,
  });

  it("tells two equal units apart by their number", () => {
    const { inputs } = buildEntries([port("raw:LPD8"), port("raw:LPD8 #2")], [], []);
    expect(inputs.map((one) => [one.title, one.unit, one.unitCount])).toEqual([
      ["LPD8", 1, 2],
      ["LPD8", 2, 2],
    ]);
    expect(matcherFor(inputs[1]!)).toEqual({ type: "ExactName", pattern: "LPD8", occurrence: 2 });
  });

  it("keeps a name whose device is away", () => {
    expect(
      buildEntries([], CONFIG.config.devices, []).disconnected.map((one) => one.title),
    ).toEqual(["pads"]);
  });

  it("says which matcher is the one, and leaves to Conductor what only it knows", () => {
    expect(matchesPort({ type: "NameContains", pattern: "lpd", occurrence: null }, "LPD8", 1)).toBe(
      true,
    );
    expect(matchesPort({ type: "ExactName", pattern: "LPD8", occurrence: 2 }, "LPD8", 1)).toBe(
      false,
    );
    expect(
      matchesPort({ type: "UsbTopology", pattern: "1-2", occurrence: null }, "LPD8", 1),
    ).toBeNull();
  });

  it("suggests a short name that is free", () => {
    const [entry] = buildEntries(
      [port("raw:MPK mini 3:MPK mini 3 MIDI 1", "MPK mini 3:MPK mini 3 MIDI 1")],
      [],
      [],
    ).inputs;
    expect(suggestAlias(entry!, ["mpk-mini"])).toBe("mpk-mini-2");
  });
});

describe("versions", () => {
  const version = {
    id: 1,
    made_at: "",
    hash: "",
    reason: "",
    is_current: false,
    summary: [],
    kind: "edit",
    author: null,
  } as unknown as VersionRow;
  const by = (
    caller: string,
    client: string | null = null,
    executable: string | null = null,
  ): string =>
    describeVersion({
      ...version,
      author: { caller, client, executable, pid: 4 } as VersionRow["author"],
    }).who;

  it("says who made them", () => {
    expect(by("window", "Conductor")).toBe("You, in the window");
    expect(by("cli", "terminal", "/usr/bin/python3")).toBe("You, in a terminal");
    expect(by("cli", null, "/usr/bin/python3")).toBe("The command line");
    expect(by("bare", null, "/usr/bin/python3")).toBe("python3; applied by you");
    expect(by("chat", "anthropic/claude-sonnet")).toBe(
      "The assistant, with anthropic/claude-sonnet; applied by you",
    );
    expect(by("chat", "slash command")).toBe("You, in the chat");
    expect(by("mcp", "Cursor")).toBe("Cursor; applied by you");
    expect(by("http", null, "C:\\agents\\helper.exe")).toBe("helper.exe; applied by you");
    expect(describeVersion({ ...version, kind: "file", reason: "edited by hand" }).who).toBe(
      "In the file",
    );
  });

  it("says who asked for those from before the author was kept", () => {
    expect(
      describeVersion({ ...version, kind: "plan", reason: "Map pad 2 (asked by claude (mcp))" }),
    ).toEqual({
      what: "Map pad 2",
      who: "claude (mcp)",
      by: "machine",
    });
    expect(describeVersion({ ...version, reason: "Rename the mode A" }).who).toBe("You");
  });

  it("words times and scopes in reasons for the reader, and begins with a capital", async () => {
    const what = (reason: string): string => describeVersion({ ...version, reason }).what;
    expect(what("restored the version of 30 Nov 15:11")).toBe(
      "Restored the version of Nov 30, 3:11 PM",
    );
    expect(what("restored a mapping of mode:Live")).toBe("Restored a mapping of mode Live");
    await language.choose("de");
    expect(what("restored the version of 30 Nov 15:11")).toBe(
      "Version vom 30. Nov., 15:11 wiederhergestellt",
    );
    expect(what("restored a mapping of mode:Live")).toBe(
      "Ein Mapping von Modus Live wiederhergestellt",
    );
    expect(what("restored a mapping of global")).toBe(
      "Ein Mapping von allen Modi wiederhergestellt",
    );
  });

  it("names a changed setting as the settings do, in the language that is shown", async () => {
    const changed = {
      ...version,
      reason: "Sprache geändert",
      summary: ['changed: settings.ui.language: "en" becomes "de" (settings)'],
    };
    expect(describeVersion(changed).what).toBe("Language: Deutsch");
    await language.choose("de");
    expect(describeVersion(changed).what).toBe("Sprache: Deutsch");
    expect(describeSetting("settings.engine.allow_shell: false becomes true")).toBe(
      "Shell-Befehle erlauben: Ein",
    );
    await language.choose("en");
    expect(describeSetting("settings.engine.action_timeout_s: 5.0 becomes the default")).toMatch(
      /^Maximum action time: \d/,
    );
    expect(describeSetting("Mode Live: color: added")).toBeNull();
  });

  it.each([
    ["Delete the mode Live", "Deleted the mode Live", "Den Modus Live gelöscht"],
    ["Add a profile for Code", "Added a profile for Code", "Ein Profil für Code hinzugefügt"],
    ["Start in Live", "Conductor now starts in Live", "Conductor startet jetzt in Live"],
    ["Created mode Song B", "Created mode Song B", "Den Modus Song B hinzugefügt"],
    ["Switch Undo off", "Switched Undo off", "Undo ausgeschaltet"],
    ["Backup of my pads", "Backup of my pads", "Backup of my pads"],
  ])("words the older entry %s as the newer ones", async (reason, english, german) => {
    expect(describeVersion({ ...version, reason }).what).toBe(english);
    await language.choose("de");
    expect(describeVersion({ ...version, reason }).what).toBe(german);
  });

  it.each([
    [
      'Profile Code: match.executable: "code" becomes "vim"; mode: "Edit"',
      "Profile Code: App: vim; Mode: Edit",
      "Profil Code: App: vim; Modus: Edit",
    ],
    ["Device pads: enabled: false", "Device pads: switched off", "Gerät pads: ausgeschaltet"],
    [
      'settings.names.pads.note 41: "Kick"',
      "Name of note 41 on pads: Kick",
      "Name von Note 41 an pads: Kick",
    ],
    [
      'settings.names.pads.note 36 ch 10: "Airhorn"',
      "Name of note 36 (channel 10) on pads: Airhorn",
      "Name von Note 36 (Kanal 10) an pads: Airhorn",
    ],
    [
      "Set engine.allow_shell to True, ui.theme to dark",
      "Allow shell commands: On; Theme: Dark",
      "Shell-Befehle erlauben: Ein; Erscheinungsbild: Dunkel",
    ],
    [
      "Set names.pads.note 41 to Kick",
      "Name of note 41 on pads: Kick",
      "Name von Note 41 an pads: Kick",
    ],
    [
      'llm.failover: ["a"] becomes ["b"]',
      "Providers to try next: changed",
      "Anbieter, die danach gefragt werden: geändert",
    ],
  ])("words the fields of %s", async (text, english, german) => {
    expect(describeChange(text)).toBe(english);
    await language.choose("de");
    expect(describeChange(text)).toBe(german);
  });

  it("leaves what it does not know as it is", () => {
    for (const text of ["Add Note 36 -> Undo", "Profiles: two", "Note: important", "Set it up"])
      expect(describeChange(text)).toBeNull();
  });

  it("reads the lines of a summary", () => {
    expect(parseSummaryLine("added: Note 36 (C1) (mode:Live)")).toEqual({
      sign: "+",
      kind: "added",
      text: "Note 36 (C1) in Live",
    });
    expect(parseSummaryLine("and 3 more").text).toBe("and 3 more");
  });
});

describe("settings", () => {
  it("lists every field of the schemas once, with its words", () => {
    const all = allGroups().flatMap((group) => group.settings);
    expect(all.length).toBeGreaterThan(25);
    expect(new Set(all.map((one) => one.path.join("."))).size).toBe(all.length);
    // The labels of these say it all.
    expect(all.filter((one) => !one.help).map((one) => one.path.join("."))).toEqual([
      "ui.theme",
      "voice.microphone",
    ]);
  });

  it("is searched by words, also by the group's", () => {
    expect(
      searchSettings(allGroups(), "theme")
        .flatMap((group) => group.settings)
        .map((one) => one.label),
    ).toContain("Theme");
    const idsOf = (text: string): string[] =>
      searchSettings(allGroups(), text).map((group) => group.id);
    expect(idsOf("agents http")).toEqual(["mcp", "remote", "a2a"]);
    expect(idsOf("agents a2a")).toEqual(["a2a"]);
    expect(idsOf("startup")).toContain("ui");
    for (const word of ["latency", "delay"]) expect(idsOf(word), word).toContain("learn");
  });

  it("lists what has the word in its name first", () => {
    const found = searchSettings(allGroups(), "key");
    expect(found.flatMap((group) => group.settings)[0]!.path.join(".")).toBe("engine.cmd_key");
    const hold = searchSettings(allGroups(), "hold").flatMap((group) => group.settings);
    expect(hold.map((one) => one.path.join("."))).toContain("learn.long_press_ms");
  });
  it("is found with every setting by its label", () => {
    for (const { path } of listSettingFields()) {
      const found = searchSettings(allGroups(), settingLabel(path));
      const paths = found.flatMap((group) => group.settings).map((one) => one.path.join("."));
      expect(paths).toContain(path.join("."));
    }
  });

  it("reads a value, and writes it as a patch", () => {
    const theme = allGroups()[0]!.settings.find((one) => one.path.at(-1) === "theme")!;
    expect(settingValue(CONFIG.config, theme)).toBe("system");
    expect(toPatch(["llm", "mcp", "read_only"], true)).toEqual({
      llm: { mcp: { read_only: true } },
    });
  });
});

describe("notes", () => {
  it("are called as the settings say, once, and nothing else is", () => {
    expect(withNotes("Note 36 (C1)")).toBe("Note 36 (C1)");
    notes.middle = "C4";
    expect(withNotes("Hold 36 (C1) 600 ms on 12 (A)")).toBe("Hold 36 (C2) 600 ms on 12 (A)");
    expect(withNotes(withNotes("Note 61 (C#3) and 3 (B9)"))).toBe("Note 61 (C#4) and 3 (B9)");
    notes.middle = "C3";
  });
  it("stand beside keys as they are called where Conductor runs", () => {
    const said = (cmd: string, platform: string): string => {
      [notes.cmd, notes.platform] = [cmd, platform];
      return withNotes("Cmd+C");
    };
    expect([
      said("auto", "linux"),
      said("auto", "darwin"),
      said("super", "win32"),
      said("auto", ""),
    ]).toEqual(["Ctrl+C", "Cmd+C", "Cmd+C", "Cmd+C"]);
    [notes.cmd, notes.platform] = ["auto", "linux"];
    expect(withNotes("do Keystroke cmd+shift+m")).toBe("do Ctrl+Shift+M");
    expect(withNotes("`Copy` did Keystroke pageup, Keystroke ctrl++ (held)")).toBe(
      "`Copy` did PgUp, Ctrl++ (held)",
    );
    expect(withNotes("A Keystroke presses keys")).toBe("A Keystroke presses keys");
  });
});

describe("the activity", () => {
  const entry = { client: null, executable: "/usr/bin/claude", caller: "mcp" } as ActivityEntry;
  it("names who and what, and how long it took", () => {
    expect(requesterName(entry)).toBe("claude");
    expect(requesterName({ ...entry, caller: "cli", executable: "/usr/bin/python3.11" })).toBe(
      "The command line",
    );
    expect(requesterName({ ...entry, caller: "page", client: "page 3, in a browser" })).toBe(
      "You, in a browser",
    );
    expect(requesterName({ ...entry, caller: "chat", client: "slash command" })).toBe(
      "You, in the chat",
    );
    expect(requesterName({ ...entry, caller: "file", client: "config.toml" })).toBe("In the file");
    expect(toolLabel("config.file")).toBe("Edited config.toml by hand");
    expect(toolLabel("conductor_get_status")).toBe("Checked the status");
    expect([
      toolLabel("mcp:every:get-sum"),
      toolLabel("mcp:a:b:c"),
      toolLabel("terminal.servers.list"),
      toolLabel("terminal.servers.add"),
    ]).toEqual(["get-sum from every", "b:c from a", "Servers list", "Added an MCP server"]);
    expect([
      outcomeLabel("params_invalid"),
      outcomeLabel("tool_not_found"),
      outcomeLabel("mode_not_found"),
      outcomeLabel("nothing_to_undo"),
      outcomeLabel("something_new"),
    ]).toEqual(["Invalid arguments", "Not found", "Not found", "Failed", "Something new"]);
    const failure = { tool: "mapping.failed", client: "Mute, mapping 5 of mode Live" };
    expect(describeAction({ ...failure, arguments: {}, outcome: "action_failed" })).toBe("Mute");
    const plain = { ...failure, client: "Kick -> Ctrl+C, mapping 1 of mode Default" };
    expect(describeAction({ ...plain, arguments: {}, outcome: "action_failed" })).toBe(
      "Kick → Ctrl+C",
    );
    expect(toolLabel("mapping.failed")).toBe("An action failed");
    const undo = { ...entry, tool: "config.undo", arguments: {}, outcome: "ok", detail: "Move A" };
    expect([describeAction(undo), describeDetail(undo)]).toEqual(["Undid: Moved A", ""]);
    expect(describeDetail({ ...undo, outcome: "config_stale" })).toBe("Move A");
    const detail = "restored the version of 30 Nov 15:11";
    const restore = { ...undo, tool: "history.restore", detail };
    expect([describeAction(restore), describeDetail(restore)]).toEqual([
      "Restored the version of Nov 30, 3:11 PM",
      "",
    ]);
    const test = { tool: "actions.test", arguments: {}, outcome: "action_failed" };
    expect(describeAction(test)).toBe("The test of an action failed");
    expect(requesterName({ ...entry, ...failure, caller: "pad" })).toBe("A control, mode Live");
    const described = (tool: string, args: Record<string, unknown>): string =>
      describeAction({ tool, arguments: args });
    expect([
      described("config.commit", { reason: "Switch say h off" }),
      described("config.commit", { reason: "" }),
      described("approvals.decide", { decision: "deny" }),
      described("terminal.approvals.allow", { decision: "once" }),
      described("modes.switch", { mode: "Studio" }),
      described("conductor_switch_mode", { mode: "Studio" }),
      described("devices.set_enabled", { device_id: "raw:Pads", enabled: false }),
    ]).toEqual([
      "Switched say h off",
      "Changed the config",
      "Denied a tool call",
      "Allowed a tool call once",
      "Switched to Studio",
      "Switched to Studio",
      "Muted Pads",
    ]);
    expect([formatDuration(null), formatDuration(3.21), formatDuration(1_540)]).toEqual([
      "",
      "3.2 ms",
      "1.5 s",
    ]);
  });

  it("calls a plan by its title, and not by its id", () => {
    const plan = { tier: "config_change", arguments: {}, detail: "plan p1 pending" } as const;
    const title = (id: string): string | null => (id === "p1" ? "Create mode Loft" : null);
    const described = (tool: string, over: object): string =>
      describeAction({ ...plan, tool, ...over }, title);
    expect([
      described("conductor_create_mode", {}),
      described("plans.apply", { arguments: { plan_id: "p1" }, detail: null }),
      described("plans.reject", { arguments: { plan_id: "p1" }, detail: null }),
      described("plans.mark_edited", { arguments: { plan_id: "p1" }, detail: null }),
      described("conductor_get_plan", { tier: "read_only", arguments: { plan_id: "p1" } }),
      described("conductor_create_mode", { detail: "plan p2 pending" }),
    ]).toEqual([
      "Proposed: Create mode Loft",
      "Applied: Create mode Loft",
      "Discarded: Create mode Loft",
      "Applied in edited form: Create mode Loft",
      "Read a plan",
      "Proposed a new mode",
    ]);
  });

  const at = (minute: number, over: Partial<ActivityEntry>): ActivityEntry =>
    ({
      id: minute,
      at: new Date(2026, 10, 22, 12, minute).toISOString(),
      caller: "mcp",
      client: "claude",
      tool: "conductor_get_config",
      tier: "read_only",
      arguments: {},
      outcome: "ok",
      detail: null,
      ...over,
    }) as ActivityEntry;

  it("shows an edited plan as one event with the change that the user saved", () => {
    const you = { caller: "page", client: "page 1, in a browser" } as const;
    const saved = { ...you, tier: "config_change", tool: "config.commit" };
    const title = (): string => "Map Pad 1";
    const entries = [
      at(3, { ...you, tool: "plans.mark_edited", arguments: { plan_id: "p1" } }),
      at(3, { ...saved, arguments: { reason: "Mapped Pad 1 -> Ctrl+V" } }),
      at(2, { ...saved, arguments: { reason: "Mapped Pad 2 -> Ctrl+C" } }),
    ];
    const events = groupEntries(entries, (entry) => describeAction(entry, title));
    expect(events.map((one) => [one.title, countOf(one.entries)])).toEqual([
      ["Applied in edited form: Map Pad 1", 1],
      [expect.stringContaining("Mapped Pad 2"), 1],
    ]);
  });

  it("shows what one requester looks at as one event", () => {
    const entries = [
      at(9, { tool: "conductor_list_devices" }),
      at(8, { caller: "window", client: null, tool: "engine.panic", tier: "stateful" }),
      at(7, {}),
      at(6, {}),
      at(5, { client: "cursor" }),
      at(4, { tool: "conductor_panic", tier: "stateful" }),
      at(3, {}),
    ];
    const events = groupEntries(entries, describeAction);
    expect(
      events.map((event) => [event.requester.name, event.title, event.entries.length]),
    ).toEqual([
      ["claude", "Looked around", 3],
      ["You", "Released all keys and notes", 1],
      ["Cursor", "Read the config", 1],
      ["claude", "Released all keys and notes", 1],
      ["claude", "Read the config", 1],
    ]);
    expect(
      countTitles(events[0]!.entries, describeAction).map(([title, all]) => [title, all.length]),
    ).toEqual([
      ["Read the config", 2],
      ["Read the devices", 1],
    ]);
  });

  it("calls the built-in controller by one name", () => {
    const muted = { device_id: "virtual", enabled: false };
    expect(describeAction({ tool: "devices.set_enabled", arguments: muted })).toBe(
      "Muted Virtual controller",
    );
    expect(withNotes("Note 36 (C1) on virtual -> A")).toBe(
      "Note 36 (C1) on Virtual controller → A",
    );
    expect(withNotes("Note 36 (C1) on virtual")).toBe("Note 36 (C1) on Virtual controller");
    expect(withNotes("Reboot on virtual machines")).toBe("Reboot on virtual machines");
  });

  it("counts each failure of a mapping, also those of one entry", () => {
    const failed = (minute: number, times?: number): ActivityEntry =>
      at(minute, {
        caller: "pad",
        client: "Mute, mapping 1 of mode Live",
        tool: "mapping.failed",
        tier: "stateful",
        outcome: "action_failed",
        arguments: { scope: "mode:Live", index: 0, ...(times ? { times } : {}) },
      });
    const [event] = groupEntries([failed(9), failed(8, 3), failed(5)], describeAction);
    expect(countOf(event!.entries)).toBe(5);
    const kick = { ...failed(7), client: "Kick, mapping 1 of mode Live" };
    const detail = "no MIDI output named OBS";
    const panic = at(6, { tool: "conductor_panic", tier: "stateful" });
    const same = [{ ...failed(59), detail }, panic, { ...kick, detail }, { ...failed(1), detail }];
    expect(
      groupEntries(same, describeAction).map((one) => [one.title, one.entries.length]),
    ).toEqual([
      ["No MIDI output named OBS", 3],
      ["Released all keys and notes", 1],
    ]);
    expect(
      groupEntries([failed(9), kick], describeAction).map((one) => [one.title, one.entries.length]),
    ).toEqual([
      ["Mute", 1],
      ["Kick", 1],
    ]);
  });

  it("words what failed as what could not be done, in both languages", async () => {
    const failed = (tool: string, args: ActivityEntry["arguments"] = {}): string =>
      describeAction({ tool, arguments: args, outcome: "error" });
    const tools = Object.keys(activityStrings.tools);
    const commands = ["servers.enable", "config.undo", "plans.apply", "remote.allow"];
    for (const tool of [...tools, ...commands]) expect(failed(tool)).toMatch(/^Could not [a-z]/);
    expect([
      failed("modes.switch", { mode: "Live" }),
      failed("engine.pause"),
      failed("plans.apply"),
      failed("config.commit", { reason: "Delete the mode Live" }),
      failed("mcp:files:read"),
    ]).toEqual([
      "Could not switch to Live",
      "Could not resume mappings",
      "Could not apply a plan",
      "Could not delete the mode Live",
      "read from files",
    ]);
    await language.choose("de");
    for (const tool of [...tools, ...commands]) {
      expect(failed(tool)).toMatch(/^Fehlgeschlagen: /);
      expect(failed(tool)).not.toContain(toolLabel(tool));
    }
    expect([
      failed("modes.switch", { mode: "Live" }),
      failed("config.undo"),
      failed("servers.enable"),
      failed("devices.set_enabled", { enabled: false, device_id: "pads" }),
    ]).toEqual([
      "Fehlgeschlagen: Wechseln zu Live",
      "Fehlgeschlagen: Eine Änderung rückgängig machen",
      "Fehlgeschlagen: Einen MCP-Server ein- oder ausschalten",
      "Stummschalten fehlgeschlagen: pads",
    ]);
    await language.choose("en");
  });

  it("joins equal events, but not failed ones, nor those of another time or day", () => {
    const panic = { tool: "conductor_panic", tier: "stateful" };
    const entries = [
      at(59, panic),
      at(58, panic),
      at(57, { ...panic, outcome: "not_allowed" }),
      at(40, { ...panic, outcome: "not_allowed" }),
      at(39, { ...panic, outcome: "not_allowed", at: new Date(2026, 10, 21).toISOString() }),
    ];
    const events = groupEntries(entries, describeAction);
    expect(events.map((event) => event.entries.length)).toEqual([2, 1, 1, 1]);
    const days = groupByDay(events, new Date(2026, 10, 22, 18));
    expect(days.map((day) => [day.title, day.events.length])).toEqual([
      ["Today", 3],
      ["Yesterday", 1],
    ]);
  });
});

/** Pure functions of the modes, profiles, devices, history and settings views. */
import { describe, expect, it } from "vitest";
import {
  describeAction,
  formatDuration,
  outcomeLabel,
  toolLabel,
  requesterName,
} from "$features/activity/entry";
import { buildEntries, matcherFor, matchesPort, suggestAlias } from "$features/devices/entries";
import { parseDiff, parseSummaryLine, describeVersion } from "$features/history/versions";
import {
  ANYWHERE,
  groupEdges,
  edgeLabel,
  edgeLine,
  labelWidth,
  layoutModes,
  placeLabels,
  LABEL_HEIGHT,
  NODE,
  findUnreachable,
  findModeChanges,
} from "$features/modes/graph";
import { planRemoval } from "$features/modes/removal";
import { matchesApp, matchForApp, suggestName } from "$features/profiles/match";
import { allGroups, toPatch, searchSettings, settingValue } from "$features/settings/settings";
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
    words: { trigger: "Note 36", numbers: "", action: "", badges: [], device: null, controls: [] },
  };
}
const change = (mode: string | null, behaviour = "switch") => ({
  type: "ModeChange",
  mode,
  behaviour,
});

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

  it("joins the ways between two modes in one line, and says how many there are", () => {
    const found = groupEdges(
      findModeChanges(
        [row("mode:Default", change("Stream")), row("mode:Default", change("Stream", "momentary"))],
        MODES,
        [],
      ),
      MODES,
    );
    expect(found).toHaveLength(1);
    expect(edgeLabel(found[0]!)).toBe("Note 36 +1 more");
    expect(found[0]!.temporary).toBe(false);
  });

  it("shows a profile's mode as entered from anywhere", () => {
    expect(findModeChanges([], MODES, CONFIG.config.profiles)).toMatchObject([
      { behaviour: "profile", from: ANYWHERE, to: "Stream", by: "OBS" },
    ]);
  });

  it("gives every mode a place of its own, also in a ring and without any way", () => {
    const ring = groupEdges(
      findModeChanges(
        [row("mode:Default", change("Stream")), row("mode:Stream", change("Default"))],
        MODES,
        [],
      ),
      MODES,
    );
    const { nodes, width, height } = layoutModes(MODES, "Default", ring);
    expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(3);
    expect(nodes.every(({ x, y }) => x >= 0 && y >= 0 && x < width && y < height)).toBe(true);
  });

  it("puts each label on its own line, and off modes, other labels and other lines", () => {
    const modes = ["Default", "Stream", "Live", "Mix"];
    const rows = modes.flatMap((from) =>
      modes
        .filter((to) => to !== from)
        .map((to) => {
          const one = row(`mode:${from}`, change(to));
          return { ...one, words: { ...one.words, trigger: "Record from 64" } };
        }),
    );
    const edges = groupEdges(findModeChanges(rows, modes, []), modes);
    const { nodes } = layoutModes(modes, "Default", edges);
    const at = new Map(nodes.map((node) => [node.id, node]));
    const lines = edges.map(({ from, to }) => edgeLine(at.get(from)!, at.get(to)!, true));
    const texts = edges.map(edgeLabel);
    const count = (
      places: readonly { x: number; y: number }[],
    ): [covered: number, lines: number] => {
      const boxes = places.map(({ x, y }, index) => {
        const width = labelWidth(texts[index]!);
        return [x - width / 2, y - LABEL_HEIGHT / 2, x + width / 2, y + LABEL_HEIGHT / 2] as const;
      });
      const modeBoxes = nodes.map(({ x, y }) => [x, y, x + NODE.width, y + NODE.height] as const);
      let covered = 0;
      let crossed = 0;
      boxes.forEach((a, index) => {
        for (const b of [...boxes.slice(index + 1), ...modeBoxes])
          covered += Number(a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]);
        lines.forEach((line, other) => {
          if (other !== index)
            crossed += line.points.filter(
              ({ x, y }) => x > a[0] && x < a[2] && y > a[1] && y < a[3],
            ).length;
        });
      });
      return [covered, crossed];
    };
    const preferred = lines.map((line) => line.points[Math.round(line.labelAt * 40)]!);
    const placed = placeLabels(lines, texts, nodes);
    const [covered, crossed] = count(placed);
    expect(covered).toBe(0);
    expect(crossed).toBeLessThan(count(preferred)[1]);
    placed.forEach((place, index) => expect(lines[index]!.points).toContainEqual(place));
  });

  it("gives the reason for a mode that cannot be entered", () => {
    const overlap = {
      kind: "unreachable_mode",
      severity: "warning",
      message: "no way in",
      places: ["mode:Live"],
      is_new: false,
      gesture: null,
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
    expect(found.breaks.join(" ")).toMatch(/Note 36.*OBS/s);
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
    expect(by("cli", null, "/usr/bin/python3")).toBe("You, in a terminal");
    expect(by("bare", null, "/usr/bin/python3")).toBe("python3");
    expect(by("chat", "anthropic/claude-sonnet")).toBe(
      "The assistant, with anthropic/claude-sonnet",
    );
    expect(by("chat", "slash command")).toBe("You, in the chat");
    expect(by("mcp", "Cursor")).toBe("Cursor");
    expect(by("http", null, "C:\\agents\\helper.exe")).toBe("helper.exe");
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

  it("tells added from removed lines, and both from the heads", () => {
    expect(parseSummaryLine("added: Note 36 (C1) (mode:Live)")).toEqual({
      sign: "+",
      kind: "added",
      text: "Note 36 (C1) in Live",
    });
    expect(parseSummaryLine("and 3 more").text).toBe("and 3 more");
    expect(parseDiff("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n").map((one) => one.kind)).toEqual([
      "place",
      "place",
      "place",
      "removed",
      "added",
      "same",
    ]);
  });
});

describe("settings", () => {
  it("lists every field of the schemas once, with its words", () => {
    const all = allGroups().flatMap((group) => group.settings);
    expect(all.length).toBeGreaterThan(25);
    expect(new Set(all.map((one) => one.path.join("."))).size).toBe(all.length);
    expect(all.filter((one) => !one.help)).toEqual([]);
  });

  it("is searched by words, also by the group's", () => {
    expect(
      searchSettings(allGroups(), "theme")
        .flatMap((group) => group.settings)
        .map((one) => one.label),
    ).toContain("Theme");
    expect(searchSettings(allGroups(), "agents http").every((group) => group.id === "mcp")).toBe(
      true,
    );
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
  });
});

describe("the activity", () => {
  const entry = { client: null, executable: "/usr/bin/claude", caller: "mcp" } as ActivityEntry;
  it("names who and what, and how long it took", () => {
    expect(requesterName(entry)).toBe("claude");
    expect(requesterName({ ...entry, caller: "cli", executable: "/usr/bin/python3.11" })).toBe(
      "Conductor's command line",
    );
    expect(toolLabel("conductor_get_status")).toBe("Check status");
    expect([
      toolLabel("mcp:every:get-sum"),
      toolLabel("mcp:a:b:c"),
      toolLabel("terminal.servers.list"),
    ]).toEqual(["get-sum from every", "b:c from a", "Servers list"]);
    expect([
      outcomeLabel("params_invalid"),
      outcomeLabel("tool_not_found"),
      outcomeLabel("something_new"),
    ]).toEqual(["Invalid arguments", "Not found", "Something new"]);
    expect(
      describeAction({ tool: "config.commit", arguments: { reason: "Switch say h off" } }),
    ).toBe("Switch say h off");
    expect(describeAction({ tool: "config.commit", arguments: { reason: "" } })).toBe(
      "Changed the config",
    );
    expect(describeAction({ tool: "approvals.decide", arguments: { decision: "deny" } })).toBe(
      "Denied a tool call",
    );
    expect(
      describeAction({ tool: "terminal.approvals.allow", arguments: { decision: "once" } }),
    ).toBe("Allowed a tool call once");
    expect(describeAction({ tool: "modes.switch", arguments: { mode: "Studio" } })).toBe(
      "Switched to Studio",
    );
    expect(
      describeAction({
        tool: "devices.set_enabled",
        arguments: { device_id: "raw:Pads", enabled: false },
      }),
    ).toBe("Muted Pads");
    expect([formatDuration(null), formatDuration(3.21), formatDuration(1_540)]).toEqual([
      "",
      "3.2 ms",
      "1.5 s",
    ]);
  });
});

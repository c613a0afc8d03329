/** The connected devices: their names, and the matchers that found them. Pure. */
import { ccName, noteName, type NoteNames } from "$forms/names";
import type { DeviceIdentity, DeviceView, EventView, Matcher } from "$lib/client/types";
import { strings } from "./strings";

export interface Entry {
  /** A unique key in the list. */
  key: string;
  /** The name that triggers and events use for the device. */
  id: string;
  title: string;
  port: string;
  kind: DeviceView["kind"] | "alias";
  connected: boolean;
  muted: boolean;
  problem: string | null;
  alias: DeviceIdentity | null;
  /** The number of this unit among equal ones, from 1. */
  unit: number;
  /** The number of ports with this name and kind. */
  equal: number;
}
export interface Groups {
  inputs: Entry[];
  away: Entry[];
}

const UNIT = / #(\d+)$/;

/** Return the name without `raw:` and without the unit number. */
export function plainName(id: string): string {
  return id.replace(/^raw:/, "").replace(UNIT, "");
}

export function entries(
  devices: readonly DeviceView[],
  aliases: readonly DeviceIdentity[],
  muted: readonly string[],
): Groups {
  const inputs = devices.filter((device) => device.kind !== "midi_output");
  const known = new Set(inputs.map((device) => device.device_id));
  const counts = new Map<string, number>();
  const listed = inputs.map((device, index): Entry => {
    const name = `${device.kind} ${device.port_name.replace(UNIT, "")}`;
    const before = counts.get(name) ?? 0;
    counts.set(name, before + 1);
    const alias = aliases.find((one) => one.alias === device.device_id) ?? null;
    const unit = alias ? before + 1 : Number(UNIT.exec(device.device_id)?.[1] ?? 1);
    const title =
      alias?.alias ?? (device.kind === "virtual" ? device.port_name : plainName(device.device_id));
    return {
      key: `${device.device_id} ${index}`,
      id: device.device_id,
      title,
      port: device.port_name,
      kind: device.kind,
      connected: device.connected,
      muted: muted.includes(device.device_id) || !device.enabled,
      problem: device.problem,
      alias,
      unit,
      equal: 1,
    };
  });
  const equal = (entry: Entry): number =>
    counts.get(`${entry.kind} ${entry.port.replace(UNIT, "")}`) ?? 1;
  const away = aliases
    .filter((alias) => !known.has(alias.alias))
    .map((alias): Entry => ({
      key: strings.aliasKey(alias.alias),
      id: alias.alias,
      title: alias.alias,
      port: "",
      kind: "alias",
      connected: false,
      muted: !alias.enabled || muted.includes(alias.alias),
      problem: null,
      alias,
      unit: 1,
      equal: 1,
    }));
  return { inputs: listed.map((entry) => ({ ...entry, equal: equal(entry) })), away };
}

/** Return whether a matcher matches a port; null when only the engine can decide. */
export function matches(matcher: Matcher, port: string, unit: number): boolean | null {
  if (
    matcher.occurrence !== null &&
    matcher.occurrence !== undefined &&
    matcher.occurrence !== unit
  )
    return false;
  const name = port.replace(UNIT, "");
  switch (matcher.type) {
    case "ExactName":
      return matcher.pattern === name;
    case "NameContains":
      return name.toLowerCase().includes(matcher.pattern.toLowerCase());
    case "NameRegex":
      try {
        return new RegExp(matcher.pattern).test(name);
      } catch {
        return null;
      }
    default:
      return null;
  }
}

export function matcherWords(matcher: Matcher): string {
  const unit = matcher.occurrence ? strings.nthUnit(matcher.occurrence) : "";
  switch (matcher.type) {
    case "ExactName":
      return strings.isCalled(matcher.pattern, unit);
    case "NameContains":
      return strings.hasInName(matcher.pattern, unit);
    case "NameRegex":
      return strings.hasNameLike(matcher.pattern, unit);
    case "PlatformId":
      return strings.hasSystemId(matcher.pattern, unit);
    case "UsbTopology":
      return strings.isConnectedAt(matcher.pattern, unit);
    case "UsbIdentifier":
      return strings.hasUsbId(hex(matcher.vendor_id), hex(matcher.product_id), unit);
    case "CoreMidiUniqueId":
      return strings.hasCoreMidiId(matcher.unique_id, unit);
  }
}

const hex = (number: number): string => number.toString(16).padStart(4, "0");

/**
 * Return the matcher for a device that gets an alias: its port name, and its unit number if there
 * are equal units.
 */
export function matcherFor(entry: Entry): Matcher {
  return {
    type: "ExactName",
    pattern: entry.port.replace(UNIT, ""),
    occurrence: entry.equal > 1 ? entry.unit : null,
  };
}

/** Return a suggested alias, such as `mpk-mini-3`. */
export function suggestAlias(entry: Entry, taken: readonly string[]): string {
  const first = plainName(entry.port).split(":")[0] ?? "";
  return freeAlias(
    first
      .toLowerCase()
      .replace(/\b(midi|port|usb|\d+)\b/g, " ")
      .trim(),
    taken,
  );
}

/** Return a name as a valid alias, with a number appended when it is in use. */
export function freeAlias(name: string, taken: readonly string[]): string {
  const plain =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")
      .slice(0, 32) || "device";
  for (let count = 1; ; count++) {
    const next = count === 1 ? plain : `${plain}-${count}`;
    if (!taken.includes(next)) return next;
  }
}

export const KINDS: Record<Entry["kind"], string> = {
  midi_input: strings.midiInput,
  midi_output: strings.midiOutput,
  gamepad: strings.gamepad,
  osc: strings.osc,
  virtual: strings.builtIn,
  alias: strings.notConnected,
};

/** Describe the newest event of a device in a few words. */
export function lastWords(
  { kind, number, value, channel }: EventView,
  names: NoteNames = "C3",
): string {
  const where = channel ? strings.onChannel(channel) : "";
  const amount = Number.isInteger(value) ? String(value) : value.toFixed(2);
  const note = (): string => noteName(Number(number), names);
  if (kind === "note_on") return strings.notePressed(note(), number, amount) + where;
  if (kind === "note_off") return strings.noteReleased(note(), number) + where;
  if (kind === "cc") return `CC ${ccName(Number(number))} = ${amount}${where}`;
  if (kind === "button_down") return strings.buttonPressed(number);
  if (kind === "button_up") return strings.buttonReleased(number);
  if (kind === "device_gone") return strings.disconnected;
  if (kind === "device_back") return strings.connected;
  return `${kind.replaceAll("_", " ")} ${number} = ${amount}${where}`;
}

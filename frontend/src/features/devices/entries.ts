/** Entries of the device list, and texts of matchers and events. */
import { formatFixed, formatTimeOfDay } from "$language/format";
import { localized } from "$language/language.svelte";
import { ccName, noteName, type NoteNames } from "$forms/names";
import type { DeviceIdentity, DeviceView, EventView, Matcher } from "$lib/client/types";
import { deviceName, plainName, UNIT } from "$lib/state/devices.svelte";
import { strings } from "./strings";

export interface DeviceEntry {
  /** The unique key of the entry in the list. */
  key: string;
  /** The name that triggers and events use for the device. */
  id: string;
  title: string;
  port: string;
  kind: DeviceView["kind"] | "alias";
  connected: boolean;
  muted: boolean;
  problem: string | null;
  /** The charge of a wireless gamepad; null: not reported. */
  battery: NonNullable<DeviceView["battery"]> | null;
  alias: DeviceIdentity | null;
  /** The number of the unit among identical devices, counted from 1. */
  unit: number;
  /** The number of identical devices: ports with the same name and kind. */
  unitCount: number;
}
export interface DeviceEntries {
  inputs: DeviceEntry[];
  disconnected: DeviceEntry[];
}

export function buildEntries(
  devices: readonly DeviceView[],
  aliases: readonly DeviceIdentity[],
  muted: readonly string[],
): DeviceEntries {
  const inputs = devices.filter((device) => device.kind !== "midi_output");
  const known = new Set(inputs.map((device) => device.device_id));
  const counts = new Map<string, number>();
  const inputEntries = inputs.map((device, index): DeviceEntry => {
    const name = `${device.kind} ${device.port_name.replace(UNIT, "")}`;
    const before = counts.get(name) ?? 0;
    counts.set(name, before + 1);
    const alias = aliases.find((one) => one.alias === device.device_id) ?? null;
    const unit = alias ? before + 1 : Number(UNIT.exec(device.device_id)?.[1] ?? 1);
    const title = alias?.alias ?? deviceName(device);
    return {
      key: `${device.device_id} ${index}`,
      id: device.device_id,
      title,
      port: device.kind === "virtual" ? title : device.port_name,
      kind: device.kind,
      connected: device.connected,
      muted: muted.includes(device.device_id) || !device.enabled,
      problem: device.problem,
      battery: (device.connected && device.battery) || null,
      alias,
      unit,
      unitCount: 1,
    };
  });
  const unitCount = (entry: DeviceEntry): number =>
    counts.get(`${entry.kind} ${entry.port.replace(UNIT, "")}`) ?? 1;
  const disconnected = aliases
    .filter((alias) => !known.has(alias.alias))
    .map((alias): DeviceEntry => ({
      key: strings.aliasKey(alias.alias),
      id: alias.alias,
      title: alias.alias,
      port: "",
      kind: "alias",
      connected: false,
      muted: !alias.enabled || muted.includes(alias.alias),
      problem: null,
      battery: null,
      alias,
      unit: 1,
      unitCount: 1,
    }));
  return {
    inputs: inputEntries.map((entry) => ({ ...entry, unitCount: unitCount(entry) })),
    disconnected,
  };
}

/** Return whether a matcher matches a port; null when only the engine can decide. */
export function matchesPort(matcher: Matcher, port: string, unit: number): boolean | null {
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

export function describeMatcher(matcher: Matcher): string {
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
 * Return the matcher for a device that gets an alias: the exact port name, with the unit number if
 * there are identical devices.
 */
export function matcherFor(entry: DeviceEntry): Matcher {
  return {
    type: "ExactName",
    pattern: entry.port.replace(UNIT, ""),
    occurrence: entry.unitCount > 1 ? entry.unit : null,
  };
}

/** Suggest an unused alias from the port name, such as `mpk-mini-3`. */
export function suggestAlias(entry: DeviceEntry, taken: readonly string[]): string {
  const first = plainName(entry.port).split(":")[0] ?? "";
  return freeAlias(
    first
      .toLowerCase()
      .replace(/\b(midi|port|usb|\d+)\b/g, " ")
      .trim(),
    taken,
  );
}

/** Convert a name to a valid alias, with a number appended when the alias is in use. */
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

export const KIND_LABELS: Record<DeviceEntry["kind"], string> = localized(() => ({
  midi_input: strings.midiInput,
  midi_output: strings.midiOutput,
  gamepad: strings.gamepad,
  osc: strings.osc,
  virtual: strings.builtIn,
  alias: strings.notConnected,
}));

/** Describe an event in a few words, such as “Note C1 (36) at 100”. */
export function describeEvent(
  { kind, number, value, channel, control }: EventView,
  names: NoteNames = "C3",
): string {
  const where = channel ? strings.onChannel(channel) : "";
  const amount = Number.isInteger(value) ? String(value) : formatFixed(value, 2);
  const note = (): string => noteName(Number(number), names);
  if (control && ["note_off", "button_up"].includes(kind)) return strings.controlReleased(control);
  if (control && kind === "button_down") return strings.controlPressed(control);
  if (control) return strings.controlValue(control, amount);
  if (kind === "note_on") return strings.notePressed(note(), number, amount) + where;
  if (kind === "note_off") return strings.noteReleased(note(), number) + where;
  if (kind === "cc") return `CC ${ccName(Number(number))} = ${amount}${where}`;
  if (kind === "button_down") return strings.buttonPressed(number);
  if (kind === "button_up") return strings.buttonReleased(number);
  if (kind === "device_gone") return strings.disconnected;
  if (kind === "device_back") return strings.connected;
  return `${kind.replaceAll("_", " ")} ${number} = ${amount}${where}`;
}

/** Format how long ago an input was. */
export function formatAge(at: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  if (seconds < 5) return strings.justNow;
  if (seconds < 60) return strings.secondsAgo(seconds);
  if (seconds < 3600) return strings.minutesAgo(Math.floor(seconds / 60));
  return formatTimeOfDay(at);
}

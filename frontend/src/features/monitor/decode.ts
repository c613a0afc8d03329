/** Decoding of events to readable names, values, bars and numbers. */
import { formatFixed } from "$language/format";
import { localized } from "$language/language.svelte";
import { ccName, noteName, type NoteNames } from "$forms/names";
import type { EventView, TriggerInput } from "$lib/client/types";
import { controlClass } from "$lib/state/monitor.svelte";
import { createTrigger, type ControlId } from "$lib/trigger";
import { strings } from "./strings";

export interface Bar {
  /** The position of the value, 0 to 1. */
  at: number;
  /** Whether the bar starts in the middle. */
  centred: boolean;
}

export interface Decoded {
  name: string;
  kind: string;
  /** Details of the event, shown beside its name. */
  detail: string;
  value: string;
  bar: Bar | null;
  /** Every number of the event in decimal and hex. */
  numbers: string;
}

const STATUS: Partial<Record<EventView["kind"], number>> = {
  note_off: 0x80,
  note_on: 0x90,
  poly_pressure: 0xa0,
  cc: 0xb0,
  program_change: 0xc0,
  channel_pressure: 0xd0,
  pitch_bend: 0xe0,
};
const KINDS: Record<EventView["kind"], string> = localized(() => ({
  note_on: strings.noteOn,
  note_off: strings.noteOff,
  cc: strings.cc,
  nrpn: strings.nrpn,
  rpn: strings.rpn,
  poly_pressure: strings.keyPressure,
  channel_pressure: strings.pressure,
  pitch_bend: strings.pitchBend,
  program_change: strings.program,
  sysex: strings.sysex,
  button_down: strings.buttonDown,
  button_up: strings.buttonUp,
  axis: strings.stick,
  gamepad_trigger: strings.trigger,
  osc: strings.osc,
  device_gone: strings.deviceDisconnected,
  device_back: strings.deviceConnected,
  clock: strings.clock,
  transport: strings.transport,
  app: strings.appInForeground,
  completed: strings.actionEnded,
  timer: strings.timePassed,
}));
const MAX_BYTES = 24;

export function decode(event: EventView, convention: NoteNames = "C3"): Decoded {
  const name = eventName(event, convention);
  const kind = KINDS[event.kind] ?? event.kind;
  const detail = [
    name === kind || name.startsWith(kind) ? "" : kind,
    event.channel && event.kind !== "timer" ? strings.ch(event.channel) : "",
  ]
    .filter(Boolean)
    .join(" · ");
  return {
    name,
    kind,
    detail,
    value: formatValue(event),
    bar: valueBar(event),
    numbers: describeNumbers(event),
  };
}

function eventName({ kind, number, data }: EventView, convention: NoteNames): string {
  switch (kind) {
    case "note_on":
    case "note_off":
    case "poly_pressure":
      return noteName(Number(number), convention);
    case "cc":
      return `CC ${ccName(Number(number))}`;
    case "program_change":
      return strings.programNumber(number);
    case "nrpn":
    case "rpn":
      return `${kind.toUpperCase()} ${number}`;
    case "sysex":
      return String(data ?? "").slice(0, MAX_BYTES * 3);
    case "app":
      return Array.isArray(data) ? String(data[0]) : "";
    case "button_down":
    case "button_up":
    case "axis":
    case "gamepad_trigger":
    case "osc":
      return String(number);
    default:
      return KINDS[kind] ?? kind;
  }
}

function formatValue({ kind, value, data }: EventView): string {
  switch (kind) {
    case "axis":
      return `${value < 0 ? "−" : "+"}${formatFixed(Math.abs(value), 2)}`;
    case "gamepad_trigger":
      return formatFixed(value, 2);
    case "pitch_bend":
      return String(value - 8192).replace("-", "−");
    case "osc":
      return Array.isArray(data) ? data.map(String).join(" ").slice(0, 40) : String(value);
    case "sysex":
      return strings.bytesCount(value);
    case "note_on":
    case "note_off":
    case "cc":
    case "nrpn":
    case "rpn":
    case "poly_pressure":
    case "channel_pressure":
      return String(value);
    default:
      return "";
  }
}

/** Return the bar of an event's value; null for events without a value. */
export function valueBar({ kind, value }: EventView): Bar | null {
  switch (kind) {
    case "note_on":
    case "note_off":
    case "cc":
    case "poly_pressure":
    case "channel_pressure":
      return toBar(value / 127);
    case "nrpn":
    case "rpn":
      return toBar(value / 16383);
    case "pitch_bend":
      return toBar(value / 16383, true);
    case "axis":
      return toBar((value + 1) / 2, true);
    case "gamepad_trigger":
      return toBar(value);
    case "button_down":
      return toBar(1);
    case "button_up":
      return toBar(0);
    default:
      return null;
  }
}

const toBar = (at: number, centred = false): Bar => ({ at: Math.min(1, Math.max(0, at)), centred });

function describeNumbers(event: EventView): string {
  const { kind, number, value, channel } = event;
  const parts = [KINDS[kind] ?? kind];
  if (typeof number === "number" && !["app", "timer", "sysex", "clock"].includes(kind))
    parts.push(strings.number(decimalAndHex(number)));
  if (Number.isInteger(value)) parts.push(strings.valueOf(decimalAndHex(value)));
  else parts.push(strings.valueOf(value));
  if (channel) parts.push(strings.channel(channel));
  const bytes = messageBytes(event);
  if (bytes) parts.push(strings.bytes(bytes));
  return parts.join(" · ");
}

/** Return the bytes of a MIDI message in hex. Empty for events that are not MIDI messages. */
export function messageBytes({ kind, number, value, channel, data }: EventView): string {
  if (kind === "sysex") return String(data ?? "");
  const status = STATUS[kind];
  if (status === undefined || !channel) return "";
  const first = status | (channel - 1);
  if (kind === "pitch_bend") return [first, value & 0x7f, value >> 7].map(hex).join(" ");
  if (kind === "program_change") return [first, Number(number)].map(hex).join(" ");
  if (kind === "channel_pressure") return [first, value].map(hex).join(" ");
  return [first, Number(number), value].map(hex).join(" ");
}

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, "0");
const decimalAndHex = (number: number): string =>
  number < 0 ? String(number) : `${number} (0x${hex(number)})`;

/** Return a trigger that fires on an event; null when no type of trigger fits. */
export function triggerForEvent(event: EventView): TriggerInput | null {
  if (event.kind === "sysex") {
    const device = event.device.startsWith("raw:") ? "" : event.device;
    return { type: "Sysex", pattern: String(event.data ?? ""), ...(device ? { device } : {}) };
  }
  return createTrigger(
    {
      control_class: controlClass(event) as ControlId["control_class"],
      number: event.number,
      channel: null,
    },
    event.device,
  );
}

/** Pictures of devices: their parts, and the positions of the parts. */
import { localized } from "$language/language.svelte";
import type { ControlRef, EventView, VirtualLayout } from "$lib/client/types";
import type { ControlId } from "$lib/trigger";
import { deviceLabel } from "$ui/notes.svelte";
import { strings } from "./strings";

export type PartKind = "pad" | "button" | "knob" | "fader" | "stick" | "trigger" | "round";

export interface Part {
  id: string;
  kind: PartKind;
  name: string;
  /** The printed name, if the user gave the control another one. */
  printed?: string;
  x: number;
  y: number;
  w: number;
  h: number;
  controls: ControlId[];
  /** The name of the control in the `virtual.play` command. */
  play?: string;
  /** The computer key that plays the control. */
  key?: string;
  /** The position of a label outside the part; `end`: the text is aligned to the right edge. */
  callout?: { x: number; y: number; w: number; end: boolean };
}
export interface Picture {
  device: string;
  title: string;
  look: "virtual" | "gamepad" | "grid" | "profile";
  w: number;
  h: number;
  parts: Part[];
}

const GAP = 10;
const EDGE = 24;

/** Return whether the narrow picture of the virtual controller is drawn larger in a place. */
export function isNarrow(width: number, height: number): boolean {
  return height > width;
}

/**
 * Build the picture of the virtual controller, with the pads on the left and the other controls on
 * the right, or below the pads in a narrow picture.
 */
export function virtualPicture(
  layout: VirtualLayout,
  keys: Readonly<Record<string, string>> = {},
  isNarrow = false,
): Picture {
  const pad = 100;
  const tall = isNarrow ? 74 : 118;
  const padsEnd = EDGE + 4 * tall + 3 * GAP;
  const right = isNarrow ? EDGE : EDGE + 4 * pad + 3 * GAP + 28;
  const top = isNarrow ? padsEnd + 18 : EDGE;
  const [faderTop, faderHeight] = isNarrow ? [204, 108] : [256, 180];
  const [knob, knobStep] = isNarrow ? [98, 106] : [118, 124];
  const buttonTop = faderTop + faderHeight + (isNarrow ? 8 : 16);
  const place = { pad: 0, knob: 0, fader: 0, button: 0 };
  const parts = layout.controls.map((one): Part => {
    const at = place[one.kind]++;
    const spot = {
      pad: { x: EDGE + one.col * (pad + GAP), y: EDGE + one.row * (tall + GAP), w: pad, h: tall },
      knob: { x: right + (at % 4) * 110, y: top + Math.floor(at / 4) * knobStep, w: 104, h: knob },
      fader: { x: right + at * 55, y: top + faderTop, w: 51, h: faderHeight },
      button: { x: right + at * 73, y: top + buttonTop, w: 68, h: 50 },
    }[one.kind];
    return {
      id: one.name,
      kind: one.kind,
      name: one.label,
      ...spot,
      play: one.name,
      controls: [{ control_class: one.control_class, number: one.number, channel: one.channel }],
      ...(keys[one.name] ? { key: keys[one.name]! } : {}),
    };
  });
  return {
    device: layout.device,
    title: deviceLabel("virtual"),
    look: "virtual",
    w: right + 4 * 110 - 6 + EDGE,
    h: isNarrow ? top + buttonTop + 50 + EDGE : padsEnd + EDGE,
    parts,
  };
}

/** A control that was played or mapped on a device without a profile. */
export interface PlayedControl extends ControlId {
  /** Whether the control sent both 0 and 127 and no other value. */
  isSwitch?: boolean;
}

const KINDS: Partial<Record<string, PartKind>> = {
  note: "pad",
  button: "button",
  cc: "knob",
  nrpn: "knob",
  rpn: "knob",
  axis: "fader",
  pitch_bend: "fader",
  channel_pressure: "fader",
  poly_pressure: "fader",
  gamepad_trigger: "fader",
};
const SIZES: Record<"pad" | "button" | "knob" | "fader", { w: number; h: number; across: number }> =
  {
    pad: { w: 100, h: 100, across: 8 },
    knob: { w: 104, h: 94, across: 8 },
    fader: { w: 64, h: 176, across: 12 },
    button: { w: 100, h: 42, across: 8 },
  };
export const MAX_PARTS = 160;

/** Build a grid of played or mapped controls, with one block for each kind of control. */
export function gridPicture(
  device: string,
  title: string,
  seen: readonly PlayedControl[],
): Picture {
  const parts: Part[] = [];
  let y = EDGE;
  let w = 0;
  for (const kind of ["pad", "knob", "fader", "button"] as const) {
    const own = seen
      .filter((one) => guessPartKind(one) === kind)
      .sort(compareNumbers)
      .slice(0, MAX_PARTS);
    if (!own.length) continue;
    const { w: width, h: height, across } = SIZES[kind];
    const columns = kind === "pad" && own.length <= 16 ? 4 : Math.min(across, own.length);
    const rows = Math.ceil(own.length / columns);
    own.forEach((one, index) => {
      // The lowest pad is at the bottom left, as on hardware.
      const row =
        kind === "pad" ? rows - 1 - Math.floor(index / columns) : Math.floor(index / columns);
      parts.push({
        id: controlId(one),
        kind,
        name: defaultControlName(one),
        x: EDGE + (index % columns) * (width + GAP),
        y: y + row * (height + GAP),
        w: width,
        h: height,
        controls: [one],
      });
    });
    w = Math.max(w, columns * (width + GAP) - GAP);
    y += rows * (height + GAP) + 16;
  }
  return {
    device,
    title,
    look: "grid",
    w: Math.max(w + EDGE * 2, 520),
    h: Math.max(y - 16 - GAP + EDGE, 160),
    parts,
  };
}

function guessPartKind(one: PlayedControl): "pad" | "button" | "knob" | "fader" {
  if (one.isSwitch) return "button";
  return (KINDS[one.control_class] ?? "button") as "pad" | "button" | "knob" | "fader";
}

function compareNumbers(a: PlayedControl, b: PlayedControl): number {
  return typeof a.number === "number" && typeof b.number === "number"
    ? a.number - b.number
    : String(a.number).localeCompare(String(b.number));
}

export function controlId({ control_class, number, channel }: ControlId): string {
  return `${control_class}:${number}:${channel ?? "*"}`;
}

const CLASS_NAMES: Partial<Record<string, string>> = localized(() => ({
  note: strings.note,
  cc: strings.cc,
  nrpn: strings.nrpn,
  rpn: strings.rpn,
  pitch_bend: strings.pitchBend,
  channel_pressure: strings.pressure,
  poly_pressure: strings.pressure,
  program_change: strings.program,
  sysex: strings.sysex,
  osc: "",
  button: "",
  axis: "",
  gamepad_trigger: strings.trigger,
}));

/** Return the name of a control without a profile, such as “CC 20”. */
export function defaultControlName({ control_class, number }: ControlId): string {
  const name = CLASS_NAMES[control_class] ?? control_class;
  if (["pitch_bend", "channel_pressure", "sysex"].includes(control_class)) return name;
  return `${name} ${String(number).replaceAll("_", " ")}`.trim();
}

/** Collect the controls of a device that mappings use or that were played. */
export function findControls(
  device: string,
  refs: readonly ControlRef[],
  events: readonly EventView[],
  classOf: (event: EventView) => string,
): PlayedControl[] {
  const found = new Map<string, PlayedControl>();
  const values = new Map<string, Set<number>>();
  for (const event of events) {
    if (event.device !== device) continue;
    const one = {
      control_class: classOf(event) as PlayedControl["control_class"],
      number: event.number,
      channel: event.channel || null,
    };
    const id = controlId(one);
    found.set(id, one);
    if (one.control_class === "cc") values.set(id, (values.get(id) ?? new Set()).add(event.value));
  }
  for (const [id, set] of values)
    if (set.size > 1 && [...set].every((value) => value === 0 || value === 127))
      found.set(id, { ...found.get(id)!, isSwitch: true });
  for (const ref of refs) {
    if (ref.device !== device || ref.number === "*") continue;
    const known = [...found.values()].some(
      (one) =>
        one.control_class === ref.control_class &&
        String(one.number) === String(ref.number) &&
        (ref.channel === null || one.channel === ref.channel),
    );
    const one = { control_class: ref.control_class, number: ref.number, channel: ref.channel };
    if (!known) found.set(controlId(one), one);
  }
  return [...found.values()];
}

/** Return whether the control reference of a mapping matches a control of the device. */
export function matchesRef(ref: ControlRef, control: ControlId, device: string): boolean {
  return (
    ref.control_class === control.control_class &&
    (ref.number === "*" || String(ref.number) === String(control.number)) &&
    (ref.device === null || ref.device === device) &&
    (ref.channel === null || control.channel === null || ref.channel === control.channel)
  );
}

/** Return the nearest part in the direction of an arrow key; undefined when there is none. */
export function findNeighbour(parts: readonly Part[], from: Part, key: string): Part | undefined {
  const ways: Record<string, [number, number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  const [dx, dy] = ways[key] ?? [0, 0];
  const middle = (part: Part): [number, number] => [part.x + part.w / 2, part.y + part.h / 2];
  const [x, y] = middle(from);
  let best: Part | undefined;
  let least = Infinity;
  for (const part of parts) {
    const [px, py] = middle(part);
    const along = (px - x) * dx + (py - y) * dy;
    const across = Math.abs((px - x) * dy) + Math.abs((py - y) * dx);
    if (part === from || along <= 4 || across > along * 2 + 60) continue;
    const cost = along + across * 2.5;
    if (cost < least) [best, least] = [part, cost];
  }
  return best;
}

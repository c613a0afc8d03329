/** Describes the controls that a change can affect. Pure. */
import type { Impact, ImpactedControl } from "$lib/client/types";
import { noteName } from "$forms/names";
import { deviceLabel } from "$ui/notes.svelte";
import { strings } from "./strings";

export interface ImpactGroup {
  why: string;
  controls: string[];
}

/** Group the affected controls by the reason why the change can affect them. */
export function groupByReason({ controls }: Impact): ImpactGroup[] {
  const groups = new Map<string, string[]>();
  for (const one of controls) {
    const names = groups.get(one.why) ?? [];
    const name = describeControl(one);
    if (!names.includes(name)) names.push(name);
    groups.set(one.why, names);
  }
  return [...groups].map(([why, names]) => ({ why, controls: names }));
}

/** Return whether a change affects no control, mode or variable. */
export function hasNoEffect(impact: Impact): boolean {
  return (
    !impact.controls.length &&
    !impact.modes.length &&
    !impact.variables.length &&
    !impact.removed_modes.length
  );
}

/** Describe a control with its name if it has one, its channel, device, modes and profile. */
export function describeControl(one: ImpactedControl): string {
  const number = one.channel ? strings.withChannel(numberOf(one), one.channel) : numberOf(one);
  const parts = [
    one.name ? strings.named(one.name, number) : number,
    one.device === null
      ? ""
      : one.device === "raw:*"
        ? strings.onDevicesWithoutName
        : strings.onDevice(deviceLabel(one.device)),
    one.modes?.length ? strings.inModes(one.modes.length, one.modes.join(", ")) : "",
    one.profile ? strings.inProfile(one.profile) : "",
  ];
  return parts.filter(Boolean).join(" ");
}

const numberWithNote = (number: string | number): string =>
  `${number} (${noteName(Number(number))})`;

function numberOf({ control_class, number, name }: ImpactedControl): string {
  const any = number === "*";
  switch (control_class) {
    case "note":
      if (any) return strings.anyNote;
      return strings.noteNumber(name ? number : numberWithNote(number));
    case "cc":
      return any ? strings.anyCc : `CC ${number}`;
    case "poly_pressure":
      return any ? strings.pressureOfAnyNote : strings.pressureOfNote(numberWithNote(number));
    case "channel_pressure":
      return strings.pressure;
    case "pitch_bend":
      return strings.pitchBend;
    case "program_change":
      return any ? strings.anyProgram : strings.programNumber(number);
    case "nrpn":
    case "rpn":
      return any
        ? strings.anyParameter(control_class.toUpperCase())
        : `${control_class.toUpperCase()} ${number}`;
    case "button":
      return any ? strings.anyButton : strings.buttonNamed(number);
    case "gamepad_trigger":
      return any ? strings.anyGamepadTrigger : strings.gamepadTriggerNamed(number);
    case "axis":
      return any ? strings.anyStick : strings.stickAxis(number);
    case "osc":
      return any ? strings.anyOscMessage : `OSC ${number}`;
    case "sysex":
      return "SysEx";
  }
}

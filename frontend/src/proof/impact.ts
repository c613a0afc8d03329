/** What a change can affect, in words. Pure. */
import type { Impact, ImpactedControl } from "$lib/client/types";
import { noteName } from "$forms/names";

export interface ReachedBy {
  why: string;
  controls: string[];
}

/** Return the controls by the way in which the change reaches them. */
export function byReason({ controls }: Impact): ReachedBy[] {
  const groups = new Map<string, string[]>();
  for (const one of controls) {
    const names = groups.get(one.why) ?? [];
    const name = controlWords(one);
    if (!names.includes(name)) names.push(name);
    groups.set(one.why, names);
  }
  return [...groups].map(([why, names]) => ({ why, controls: names }));
}

/** Return whether nothing that can be played does anything else. */
export function touchesNothing(impact: Impact): boolean {
  return (
    !impact.controls.length &&
    !impact.modes.length &&
    !impact.variables.length &&
    !impact.removed_modes.length
  );
}

export function controlWords(one: ImpactedControl): string {
  const parts = [
    nameOf(one),
    one.channel ? `ch ${one.channel}` : "",
    one.device === null
      ? ""
      : one.device === "raw:*"
        ? "on devices without an alias"
        : `on ${one.device.replace(/^raw:/, "")}`,
    one.modes?.length
      ? `in ${one.modes.length === 1 ? "mode" : "modes"} ${one.modes.join(", ")}`
      : "",
    one.profile ? `under profile ${one.profile}` : "",
  ];
  return parts.filter(Boolean).join(" ");
}

function nameOf({ control_class, number }: ImpactedControl): string {
  const any = number === "*";
  switch (control_class) {
    case "note":
      return any ? "any note" : `note ${number} (${noteName(Number(number))})`;
    case "cc":
      return any ? "any CC" : `CC ${number}`;
    case "poly_pressure":
      return any
        ? "the pressure of any note"
        : `the pressure of note ${number} (${noteName(Number(number))})`;
    case "channel_pressure":
      return "the pressure";
    case "pitch_bend":
      return "the pitch bend";
    case "program_change":
      return any ? "any program" : `program ${number}`;
    case "nrpn":
    case "rpn":
      return `${any ? "any " : ""}${control_class.toUpperCase()}${any ? "" : ` ${number}`}`;
    case "button":
      return any ? "any button" : `button ${number}`;
    case "gamepad_trigger":
      return any ? "any gamepad trigger" : `the ${number} trigger`;
    case "axis":
      return any ? "any stick" : `the stick axis ${number}`;
    case "osc":
      return any ? "any OSC message" : `OSC ${number}`;
    case "sysex":
      return "SysEx";
  }
}

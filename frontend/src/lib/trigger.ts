/** The initial trigger for a touched or drawn control. Pure. */
import type { ControlRef, TriggerInput } from "$lib/client/types";

/** A control of some device; without a channel: on any channel. */
export type ControlId = Pick<ControlRef, "control_class" | "number" | "channel">;

/**
 * Return the trigger of a control; null for a control that no trigger supports, such as raw SysEx.
 */
export function triggerOf(
  control: ControlId,
  device: string,
  isSwitch = false,
): TriggerInput | null {
  // A port without a name cannot be used in a trigger.
  const from = {
    ...(device && !device.startsWith("raw:") ? { device } : {}),
    ...(control.channel ? { channel: control.channel } : {}),
  };
  const number = Number(control.number);
  const name = String(control.number);
  switch (control.control_class) {
    case "note":
      return { type: "Note", note: number, ...from };
    case "cc":
      return isSwitch
        ? { type: "CC", cc: number, value_min: 64, edge: "rising", ...from }
        : { type: "CC", cc: number, ...from };
    case "nrpn":
    case "rpn":
      return {
        type: "Nrpn",
        parameter: number,
        registered: control.control_class === "rpn",
        ...from,
      };
    case "poly_pressure":
      return { type: "Aftertouch", note: number, ...from };
    case "channel_pressure":
      return { type: "Aftertouch", ...from };
    case "pitch_bend":
      return { type: "PitchBend", ...from };
    case "program_change":
      return { type: "ProgramChange", program: number, ...from };
    case "button":
      return { type: "GamepadButton", button: name, ...from };
    case "axis":
      return { type: "GamepadAnalogStick", axis: name, ...from };
    case "gamepad_trigger":
      return name === "left" || name === "right"
        ? { type: "GamepadTrigger", trigger: name, ...from }
        : null;
    case "osc":
      return { type: "OscMessage", address: name, ...from };
    default:
      return null;
  }
}

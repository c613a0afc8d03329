/** Creates the initial trigger for a control. Pure. */
import type { ControlRef, TriggerInput } from "$lib/client/types";

/** A control of a device. A null channel means any channel. */
export type ControlId = Pick<ControlRef, "control_class" | "number" | "channel">;

/**
 * Return a trigger for a control; null if no kind of trigger supports it, as for raw SysEx.
 * @param isSwitch whether the control is a button that sends CC 0 and 127.
 */
export function createTrigger(
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

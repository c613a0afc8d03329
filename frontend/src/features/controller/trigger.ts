/** The initial trigger of a new mapping for a part of a picture. */
import type { TriggerInput } from "$lib/client/types";
import { createTrigger } from "$lib/trigger";
import type { Part } from "./picture";

export function triggerOfPart(part: Part, device: string): TriggerInput | null {
  const control = part.controls[0];
  return control
    ? createTrigger(
        control,
        device,
        ["button", "pad"].includes(part.kind) && control.control_class === "cc",
      )
    : null;
}

/** What the generated types accept and refuse. Never run: `npm run check` fails if an error is missing. */

import type { Commands, Method, Topics, Trigger, TriggerInput } from "$lib/client/generated";

export const draft: TriggerInput = { type: "Note", note: 36 };
// @ts-expect-error a trigger that came has all its fields
export const whole: Trigger = { type: "Note", note: 36 };
export const sent = (given: Trigger): TriggerInput => given;
// @ts-expect-error there is no such kind
export const wrong: TriggerInput = { type: "Nope" };

export function name(trigger: Trigger): number | null {
  return trigger.type === "LongPress" ? trigger.duration_ms : null;
}

type Call = <M extends Method>(method: M, params: Commands[M]["params"]) => Commands[M]["result"];
export const mode = (call: Call): string => call("app.status", {}).mode;
export const topic = (told: Topics["status"]): string[] => told.held_keys;
// @ts-expect-error a parameter is missing
export const bad = (call: Call) => call("modes.switch", {});

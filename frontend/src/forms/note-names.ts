/** The names of the controls that send notes: the user's own names and the printed ones. */
import type { ControlId } from "$lib/trigger";
import { controlsOf, labelOf } from "$lib/state/profiles.svelte";
import type { State } from "$lib/state/state";

/**
 * Return the names of the controls that send each note, own names first.
 * @param device the only device whose controls are meant; null: any
 */
export function namesByNote(app: State, device: string | null): ReadonlyMap<number, string[]> {
  const names = new Map<number, string[]>();
  const add = ({ control_class, number }: Omit<ControlId, "channel">, name: string): void => {
    const note = Number(number);
    const before = names.get(note) ?? [];
    if (control_class === "note" && !before.includes(name)) names.set(note, [...before, name]);
  };
  const isMeant = (name: string): boolean => device === null || device === name;
  for (const [owner, own] of Object.entries(app.config.config?.settings.names ?? {})) {
    if (!isMeant(owner)) continue;
    for (const [key, name] of Object.entries(own)) {
      const [control_class, number] = key.split(" ");
      add({ control_class, number } as ControlId, name);
    }
  }
  for (const { device_id } of app.devices.controllers) {
    if (!isMeant(device_id)) continue;
    for (const group of app.profiles.activeVariant(device_id)?.variant.groups ?? [])
      controlsOf(group).forEach((control, index) => add(control, labelOf(group, index)));
  }
  if (isMeant("virtual"))
    for (const control of app.devices.virtualControls) add(control, control.label);
  return names;
}

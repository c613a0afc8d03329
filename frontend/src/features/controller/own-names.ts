/** The names that the user gave to controls, which replace the printed ones. */
import type { ControlId } from "$lib/trigger";
import type { Picture } from "./picture";

/** The names of the controls of a device in `settings.names`, by the message of each control. */
type OwnNames = Readonly<Record<string, string>>;

/** Return the key of a control in `settings.names`: an existing one, or a new one. */
export function nameKey(
  names: OwnNames,
  { control_class, number, channel }: Readonly<ControlId>,
): string {
  const anyChannel = `${control_class} ${number}`;
  const key = channel === null ? anyChannel : `${anyChannel} ch ${channel}`;
  return !(key in names) && anyChannel in names ? anyChannel : key;
}

/** Return a picture in which the user's own names replace the printed names. */
export function withOwnNames(picture: Picture, names: OwnNames | undefined): Picture {
  if (!names) return picture;
  const parts = picture.parts.map((part) => {
    const [control, ...others] = part.controls;
    const name = control && !others.length ? names[nameKey(names, control)] : undefined;
    return name === undefined ? part : { ...part, name, printed: part.name };
  });
  return { ...picture, parts };
}

/** Help texts of the mapping editor, by kind and field. */
import { strings } from "./explanations/strings";

/** Return the help of a kind of trigger, action, condition or curve; undefined if it has none. */
export const kindHelp = (kind: string): string | undefined => strings.kinds[kind];

/**
 * Return the help of a field, which may be empty; undefined if the field belongs to no mapping.
 * @param kind the kind of the object with the field, such as `LongPress`.
 */
export function fieldHelp(kind: string, field: string): string | undefined {
  const own = strings.fields[`${kind}.${field}`];
  if (own !== undefined) return own;
  return kind in strings.kinds ? strings.fields[field] : undefined;
}

/** Finds an action, or a step of it, by its content. Pure. */
import { isPlainObject } from "./schema";

/** Return whether an action, or an action nested in it, has all the values of `part`. */
export function containsPart(action: unknown, part: unknown): boolean {
  if (hasValues(action, part)) return true;
  if (typeof action !== "object" || action === null) return false;
  return Object.values(action).some((nested) => containsPart(nested, part));
}

/** Return whether `value` has all the values of `part`, which leaves out default values. */
function hasValues(value: unknown, part: unknown): boolean {
  if (isPlainObject(part))
    return (
      isPlainObject(value) &&
      Object.entries(part).every(([name, inner]) => hasValues(value[name], inner))
    );
  if (Array.isArray(part))
    return (
      Array.isArray(value) &&
      value.length === part.length &&
      part.every((item, index) => hasValues(value[index], item))
    );
  return value === part;
}

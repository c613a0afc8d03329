/** The names of mappings, and their changes. */
import { strings } from "./strings";

/** Return what a text calls a mapping: its own name in quotation marks, or its trigger. */
export const nameMapping = (name: string | null | undefined, trigger: string): string =>
  name ? strings.quoted(name) : trigger;

/** Return what an entry of the history calls a mapping: its own name, or its trigger and action. */
export const nameInHistory = (
  name: string | null | undefined,
  { trigger, action }: { trigger: string; action: string },
): string => nameMapping(name, `${trigger} -> ${action}`);

interface Named {
  mapping: { description?: string | null | undefined };
}

/** Describe the change of a mapping in nothing but its name; null: other things change too. */
export function describeRename(before: Named | null, after: Named | null): string | null {
  if (!before || !after) return null;
  const [old, now] = [before.mapping.description, after.mapping.description];
  if (old === now || withoutName(before) !== withoutName(after)) return null;
  if (!now) return strings.nameRemoved(old!);
  return old ? strings.renamedFrom(old) : strings.nameAdded;
}

const withoutName = ({ mapping }: Named): string =>
  JSON.stringify({ ...mapping, description: null });

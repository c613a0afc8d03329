import { strings } from "./strings";

/** The kinds of scopes. Changes of devices and settings have a scope too. */
export type ScopeKind = "mode" | "profile" | "global" | "device" | "settings";

/** Return the scope of a mode's mappings. */
export const modeScope = (mode: string): string => `mode:${mode}`;

/** Return the scope of an app profile's mappings. */
export const profileScope = (profile: string): string => `profile:${profile}`;

/** Split a scope such as `mode:Default`; the name is empty for `global` and `settings`. */
export function parseScope(scope: string): { kind: ScopeKind; name: string } {
  const at = scope.indexOf(":");
  const kind = at < 0 ? scope : scope.slice(0, at);
  return { kind: kind as ScopeKind, name: at < 0 ? "" : scope.slice(at + 1) };
}

/** Return `{mode}`, `{profile}` or `{}`: the fields that identify a scope in a change. */
export function scopeFields(scope: string): { mode?: string; profile?: string } {
  const { kind, name } = parseScope(scope);
  return name ? { [kind]: name } : {};
}

/** The scope of actions that are performed once, outside of any mapping. */
export const PERFORMED_ONCE = "preview";

/** Return the display name of a scope: the mode or profile, or "All modes". */
export function scopeName(scope: string): string {
  return parseScope(scope).name || strings.allModes;
}

/**
 * Return the display name of a mapping: its description, or its place counted from 1, such as
 * `mapping 2 of mode Default`. Actions that are performed once have no mapping.
 * @param mapping the name in a trace: the description, or `mode:Default #1` counted from 0.
 */
export function mappingName(mapping: string): string {
  const [, scope, index] = /^((?:mode|profile):.+|global) #(\d+)$/.exec(mapping) ?? [];
  if (new RegExp(`^${PERFORMED_ONCE} \\d+$`).test(mapping)) return strings.performedOnce;
  if (scope === undefined) return mapping;
  const { kind, name } = parseScope(scope);
  const number = Number(index) + 1;
  if (kind === "mode") return strings.mappingOfMode(number, name);
  return kind === "profile"
    ? strings.mappingOfProfile(number, name)
    : strings.mappingOfAllModes(number);
}

/**
 * Return a message without the places of the mappings, as in `Undo, mapping 2 of mode Default`,
 * unless two mappings have the same name.
 */
export function dropPlaces(message: string): string {
  const pattern = /`([^`]+), mapping \d+ of [^`]+`/g;
  const mappings = new Map([...message.matchAll(pattern)].map(([whole, name]) => [whole, name]));
  if (new Set(mappings.values()).size < mappings.size) return message;
  return message.replace(pattern, "`$1`");
}

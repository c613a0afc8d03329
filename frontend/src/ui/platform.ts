/** The names of keys on the platform of this computer, as printed on keyboards of the language. */
import { strings } from "./strings";

export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");

const MAC_LABELS: Record<string, string> = {
  cmd: "⌘",
  mod: "⌘",
  ctrl: "⌃",
  alt: "⌥",
  shift: "⇧",
  enter: "↩",
  backspace: "⌫",
  super: "⌘",
};
const LABELS: Record<string, string> = {
  cmd: "Cmd",
  super: "Super",
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  plus: "+",
  minus: "-",
};

/** Return the label of a key as printed on the keyboard. */
export function keyLabel(key: string): string {
  const mac = isMac ? MAC_LABELS[key] : undefined;
  if (mac) return mac;
  const name = LABELS[key] ?? strings.keys[key];
  if (name) return name;
  return key.length === 1 ? key.toUpperCase() : key.charAt(0).toUpperCase() + key.slice(1);
}

/** The names of keys on the platform of this computer. */

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
  mod: "Ctrl",
  cmd: "Cmd",
  ctrl: "Ctrl",
  alt: "Alt",
  shift: "Shift",
  super: "Super",
  escape: "Esc",
  enter: "Enter",
  space: "Space",
  backspace: "Backspace",
  delete: "Del",
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  pageup: "PgUp",
  pagedown: "PgDn",
  plus: "+",
  minus: "-",
  volumeup: "Vol +",
  volumedown: "Vol -",
  playpause: "Play/Pause",
};

/** Return the label of a key as printed on the keyboard. */
export function keyLabel(key: string): string {
  const mac = isMac ? MAC_LABELS[key] : undefined;
  if (mac) return mac;
  const name = LABELS[key];
  if (name) return name;
  return key.length === 1 ? key.toUpperCase() : key.charAt(0).toUpperCase() + key.slice(1);
}

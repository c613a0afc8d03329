/** Converts keyboard events to the key names of the config. */

const KEYS_BY_CODE: Record<string, string> = {
  Space: "space",
  NumpadAdd: "numadd",
  NumpadSubtract: "numsub",
  NumpadMultiply: "nummul",
  NumpadDivide: "numdiv",
  NumpadDecimal: "numdecimal",
  NumpadEnter: "numenter",
};
const KEYS_BY_NAME: Record<string, string> = {
  Enter: "enter",
  Tab: "tab",
  Escape: "escape",
  Backspace: "backspace",
  Delete: "delete",
  Insert: "insert",
  Home: "home",
  End: "end",
  PageUp: "pageup",
  PageDown: "pagedown",
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
  CapsLock: "capslock",
  NumLock: "numlock",
  ScrollLock: "scrolllock",
  PrintScreen: "printscreen",
  Pause: "pause",
  ContextMenu: "menu",
  "+": "plus",
  "-": "minus",
  AudioVolumeUp: "volumeup",
  AudioVolumeDown: "volumedown",
  AudioVolumeMute: "mute",
  MediaPlayPause: "playpause",
  MediaPlay: "play",
  MediaStop: "stop",
  MediaTrackNext: "next",
  MediaTrackPrevious: "previous",
};
const MODIFIERS: Record<string, string> = {
  Control: "ctrl",
  Alt: "alt",
  AltGraph: "alt",
  Shift: "shift",
};

type KeyPress = Pick<KeyboardEvent, "key" | "code">;

export function isModifier(press: KeyPress): boolean {
  return press.key in MODIFIERS || press.key === "Meta";
}

/** Return the name of a key in the config; null for keys without a name, such as dead keys. */
export function keyOf({ key, code }: KeyPress, mac: boolean): string | null {
  if (key === "Meta") return mac ? "cmd" : "super";
  const modifier = MODIFIERS[key];
  if (modifier) return modifier;
  const digit = /^(Digit|Numpad)(\d)$/.exec(code);
  if (digit) return digit[1] === "Numpad" ? `num${digit[2]}` : digit[2]!;
  const named = KEYS_BY_CODE[code] ?? KEYS_BY_NAME[key];
  if (named) return named;
  if (/^F\d{1,2}$/.test(key)) return key.toLowerCase();
  return [...key].length === 1 ? key.toLowerCase() : null;
}

/**
 * Keys of the computer keyboard that play the virtual controller. Keys are identified by position,
 * not by letter.
 */

/** Control ids by key code. The bottom row of letters plays the bottom row of pads. */
export const CONTROLS_BY_KEY: Readonly<Record<string, string>> = {
  KeyZ: "pad1",
  KeyX: "pad2",
  KeyC: "pad3",
  KeyV: "pad4",
  KeyA: "pad5",
  KeyS: "pad6",
  KeyD: "pad7",
  KeyF: "pad8",
  KeyQ: "pad9",
  KeyW: "pad10",
  KeyE: "pad11",
  KeyR: "pad12",
  Digit1: "pad13",
  Digit2: "pad14",
  Digit3: "pad15",
  Digit4: "pad16",
  Digit5: "play",
  Digit6: "stop",
  Digit7: "record",
  Digit8: "loop",
  Digit9: "rewind",
  Digit0: "forward",
};

/** The labels of the keys, by control id. */
export const KEYCAPS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CONTROLS_BY_KEY).map(([code, control]) => [
    control,
    code.replace(/^(Key|Digit)/, ""),
  ]),
);

/** The keyboard layout, which Chromium tells. Other browsers do not know it. */
interface LayoutKeyboard {
  getLayoutMap?: () => Promise<ReadonlyMap<string, string>>;
}

/** Return the labels of the keys in the layout of the user, as far as the browser knows it. */
export async function loadKeycaps(): Promise<Readonly<Record<string, string>>> {
  const { keyboard } = navigator as { keyboard?: LayoutKeyboard };
  const layout = await keyboard?.getLayoutMap?.().catch(() => undefined);
  if (!layout) return KEYCAPS;
  return Object.fromEntries(
    Object.entries(CONTROLS_BY_KEY).map(([code, control]) => [
      control,
      // The digits are typed with Shift in some layouts, but printed on the keys.
      (code.startsWith("Key") && layout.get(code)?.toUpperCase()) || KEYCAPS[control]!,
    ]),
  );
}

export const HARD_VELOCITY = 127;
export const MEDIUM_VELOCITY = 90;

type Press = Pick<KeyboardEvent, "code" | "ctrlKey" | "metaKey" | "altKey">;

/** Return the control that a key plays; null with Ctrl, Alt or Cmd, which belong to shortcuts. */
export function controlForKey(press: Press): string | null {
  return press.ctrlKey || press.metaKey || press.altKey
    ? null
    : (CONTROLS_BY_KEY[press.code] ?? null);
}

/** The players that are mounted, the newest last. */
const players: object[] = [];

/** Give a player the keys until the returned function is called or a newer player takes them. */
export function takeKeys(player: object): () => void {
  players.push(player);
  return () => void players.splice(players.indexOf(player), 1);
}

/** Return whether a player has the keys, as the newest one. */
export function hasKeys(player: object): boolean {
  return players.at(-1) === player;
}

/** Return whether a key press belongs to a field, a dialog or a menu. */
export function isForOtherElement(target: EventTarget | null): boolean {
  const element = target instanceof Element ? target : null;
  return (
    !!element?.closest(
      "input, textarea, select, [contenteditable='true'], [data-takes-keys], " +
        "[role='combobox'], [role='listbox']",
    ) ||
    (!!document.querySelector(
      "[role='dialog']:not([data-plays]), [role='alertdialog'], [role='menu'], " +
        "[role='listbox'].ui-list",
    ) &&
      !element?.closest("[data-plays]"))
  );
}

/** The picture of a gamepad, with labels on both sides. */
import { localized } from "$language/language.svelte";
import { BUTTONS } from "$forms";
import type { Part, Picture } from "./picture";
import { strings } from "./strings";

export const BODY =
  "M330 168 C300 168 272 190 258 232 L226 372 C214 424 232 462 266 462 C296 462 316 440 338 " +
  "402 C350 380 366 368 392 368 L568 368 C594 368 610 380 622 402 C644 440 664 462 694 462 " +
  "C728 462 746 424 734 372 L702 232 C688 190 660 168 630 168 Z";

type GamepadControl = [
  id: string,
  kind: Part["kind"],
  x: number,
  y: number,
  w: number,
  h: number,
  side: "left" | "right",
];

const CONTROLS: GamepadControl[] = [
  ["left", "trigger", 306, 70, 70, 44, "left"],
  ["l1", "button", 290, 124, 104, 30, "left"],
  ["select", "button", 424, 196, 36, 22, "left"],
  ["dpad_up", "button", 308, 206, 30, 32, "left"],
  ["dpad_left", "button", 276, 240, 32, 30, "left"],
  ["dpad_right", "button", 338, 240, 32, 30, "left"],
  ["dpad_down", "button", 308, 272, 30, 32, "left"],
  ["left_stick", "stick", 368, 284, 84, 84, "left"],
  ["right", "trigger", 584, 70, 70, 44, "right"],
  ["r1", "button", 566, 124, 104, 30, "right"],
  ["start", "button", 500, 196, 36, 22, "right"],
  ["guide", "round", 464, 226, 32, 32, "right"],
  ["north", "round", 620, 192, 40, 40, "right"],
  ["east", "round", 660, 232, 40, 40, "right"],
  ["west", "round", 580, 232, 40, 40, "right"],
  ["south", "round", 620, 272, 40, 40, "right"],
  ["right_stick", "stick", 508, 284, 84, 84, "right"],
];
const RARE_BUTTONS = ["misc1", "paddle1", "paddle2", "paddle3", "paddle4", "touchpad"];
const PART_NAMES: Record<string, string> = localized(() => ({
  left: strings.leftTrigger,
  right: strings.rightTrigger,
  left_stick: strings.leftStick,
  right_stick: strings.rightStick,
  l1: strings.leftShoulder,
  r1: strings.rightShoulder,
}));
const WIDTH = 960;
const LABEL_WIDTH = 204;

/** Build the picture of a gamepad. Rare buttons are included if they were played or mapped. */
export function gamepadPicture(
  device: string,
  title: string,
  known: readonly string[] = [],
): Picture {
  const extras = RARE_BUTTONS.filter((name) => known.includes(name)).map(
    (name, index): GamepadControl => [
      name,
      "button",
      408 + (index % 3) * 50,
      396 + Math.floor(index / 3) * 34,
      44,
      24,
      index % 2 ? "right" : "left",
    ],
  );
  const controls = [...CONTROLS, ...extras];
  const parts = controls.map(toPart);
  for (const side of ["left", "right"] as const) placeLabels(controls, parts, side);
  return { device, title, look: "gamepad", w: WIDTH, h: 500, parts };
}

function toPart([id, kind, x, y, w, h]: GamepadControl): Part {
  return {
    id,
    kind,
    name: PART_NAMES[id] ?? buttonName(id),
    x,
    y,
    w,
    h,
    controls: toControlIds(id, kind),
  };
}

function toControlIds(id: string, kind: Part["kind"]): Part["controls"] {
  if (kind === "stick") {
    const side = id.split("_")[0]!;
    return [
      { control_class: "axis", number: `${side}_x`, channel: null },
      { control_class: "axis", number: `${side}_y`, channel: null },
      { control_class: "button", number: side === "left" ? "l3" : "r3", channel: null },
    ];
  }
  if (kind === "trigger")
    return [
      { control_class: "gamepad_trigger", number: id, channel: null },
      { control_class: "button", number: id === "left" ? "l2" : "r2", channel: null },
    ];
  return [{ control_class: "button", number: id, channel: null }];
}

function buttonName(id: string): string {
  const plain = id.replaceAll("_", " ");
  const hint = BUTTONS.find(([name]) => name === id)?.[1];
  const name = `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`;
  return hint && id.length > 2 ? `${name} (${hint.split(",")[0]})` : name;
}

/** Place the labels of one side in a column, in the vertical order of their controls. */
function placeLabels(
  controls: readonly GamepadControl[],
  parts: Part[],
  side: "left" | "right",
): void {
  const sideParts = parts
    .filter((_, index) => controls[index]![6] === side)
    .sort((a, b) => a.y - b.y);
  const step = Math.min(48, 448 / sideParts.length);
  const top = 250 - (step * (sideParts.length - 1)) / 2;
  sideParts.forEach((one, index) => {
    one.callout = {
      x: side === "left" ? 8 : WIDTH - 8 - LABEL_WIDTH,
      y: top + index * step,
      w: LABEL_WIDTH,
      end: side === "left",
    };
  });
}

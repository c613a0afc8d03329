/** Pictures of devices that are drawn from device profiles. */
import type { DeviceProfile, Group, Variant } from "$lib/client/types";
import { controlsOf, labelOf, isSameControl } from "$lib/state/profiles.svelte";
import type { ControlId } from "$lib/trigger";
import { gridPicture, type Part, type PartKind, type Picture, type PlayedControl } from "./picture";

const KINDS: Record<Group["role"], PartKind> = {
  pad: "pad",
  key: "pad",
  knob: "knob",
  encoder: "knob",
  jog: "knob",
  fader: "fader",
  strip: "fader",
  stick: "fader",
  trigger: "fader",
  button: "button",
  transport: "button",
  pedal: "button",
};
/** The minimum size at which a kind of control and its label are readable. */
const MIN_SIZE: Record<PartKind, { w: number; h: number }> = {
  pad: { w: 40, h: 40 },
  button: { w: 40, h: 24 },
  knob: { w: 66, h: 84 },
  fader: { w: 40, h: 110 },
  stick: { w: 60, h: 60 },
  trigger: { w: 40, h: 60 },
  round: { w: 40, h: 40 },
};
const UNIT = 8;
const INSET = 4;
const KNOB_HEIGHT = 98;
const MAX_GROWTH = 2.2;

export const banksOf = (variant: Variant): string[] => [
  ...new Set(variant.groups.flatMap((group) => group.bank ?? [])),
];

/** Return the groups to draw. Of groups at the same position, the group of the bank is drawn. */
export function visibleGroups(
  variant: Variant,
  bank: string | null,
): { place: NonNullable<Group["place"]>; group: Group }[] {
  return variant.groups.flatMap((group) =>
    group.place ? [{ place: group.place, group: groupInBank(variant, group, bank) }] : [],
  );
}

function groupInBank(variant: Variant, group: Group, bank: string | null): Group {
  if (!bank || !group.bank || group.bank === bank) return group;
  const currentBankGroups = variant.groups.filter(
    (one) => one.bank === group.bank && hasSameControls(one, group),
  );
  const chosenBankGroups = variant.groups.filter(
    (one) => one.bank === bank && !one.place && hasSameControls(one, group),
  );
  return chosenBankGroups[currentBankGroups.indexOf(group)] ?? group;
}

const hasSameControls = (one: Group, other: Group): boolean =>
  one.role === other.role &&
  one.message === other.message &&
  one.numbers.length === other.numbers.length;

/** Return the bank that contains a control; null when the current bank contains the control. */
export function findBank(variant: Variant, control: ControlId, bank: string | null): string | null {
  const has = (group: Group): boolean =>
    controlsOf(group).some((one) => isSameControl(one, control));
  if (visibleGroups(variant, bank).some(({ group }) => has(group))) return null;
  return (
    variant.groups.find((group) => group.bank && group.bank !== bank && has(group))?.bank ?? null
  );
}

/**
 * Build the picture of a device profile. Controls that were played but are not in the profile are
 * drawn below. Returns null when the profile has no positions.
 */
export function profilePicture(
  device: string,
  profile: DeviceProfile,
  variant: Variant,
  bank: string | null,
  seen: readonly PlayedControl[] = [],
): Picture | null {
  const groups = visibleGroups(variant, bank);
  if (!groups.length) return null;
  const scale = UNIT * growthFactor(groups);
  const {
    parts,
    w: ownWidth,
    h,
  } = crop(groups.flatMap(({ place, group }) => buildParts(group, place, scale)));
  const known = variant.groups.flatMap(controlsOf);
  const unknownControls = seen.filter(
    (one) =>
      !known.some((control) => isSameControl(control, one)) &&
      one.control_class !== "channel_pressure" &&
      one.control_class !== "poly_pressure",
  );
  const below = unknownControls.length ? gridPicture(device, "", unknownControls) : null;
  const w = Math.max(ownWidth, below ? below.parts.reduce(rightOf, 0) + MARGIN : 0);
  const playedParts = below?.parts.map((part): Part => ({ ...part, y: part.y + h - 8 })) ?? [];
  return {
    device,
    title: `${profile.maker} ${profile.model}`,
    look: "profile",
    w,
    h: h + (below ? below.h - 8 : 0),
    parts: [...parts, ...playedParts],
  };
}

const MARGIN = 24;
const rightOf = (right: number, part: Part): number => Math.max(right, part.x + part.w);

/** Leave out the parts of the body on which the profile knows no controls. */
function crop(parts: readonly Part[]): { parts: Part[]; w: number; h: number } {
  const left = Math.min(...parts.map((part) => part.x)) - MARGIN;
  const top = Math.min(...parts.map((part) => part.y)) - MARGIN;
  return {
    parts: parts.map((part) => ({ ...part, x: part.x - left, y: part.y - top })),
    w: parts.reduce(rightOf, 0) - left + MARGIN,
    h: Math.max(...parts.map((part) => part.y + part.h)) - top + MARGIN,
  };
}

/** Return the factor by which the picture is enlarged to make the smallest control readable. */
function growthFactor(groups: { place: NonNullable<Group["place"]>; group: Group }[]): number {
  const needed = groups.flatMap(({ place, group }) => {
    const least = MIN_SIZE[KINDS[group.role]];
    const rows = Math.ceil(group.numbers.length / group.columns);
    return [least.w / ((place.w / group.columns) * UNIT), least.h / ((place.h / rows) * UNIT)];
  });
  return Math.min(MAX_GROWTH, Math.max(1, ...needed));
}

function buildParts(group: Group, place: NonNullable<Group["place"]>, scale: number): Part[] {
  const rows = Math.ceil(group.numbers.length / group.columns);
  const w = (place.w / group.columns) * scale;
  const h = (place.h / rows) * scale;
  const kind = KINDS[group.role];
  const gap = Math.min(INSET, w * 0.05, h * 0.1);
  return controlsOf(group).map((control, index): Part => {
    // The label of a knob is drawn close below it.
    const tall = kind === "knob" ? Math.min(h - 2 * gap, KNOB_HEIGHT) : h - 2 * gap;
    const x = place.x * scale + (index % group.columns) * w + gap;
    const y = place.y * scale + Math.floor(index / group.columns) * h + (h - tall) / 2;
    return {
      id: `${group.id}:${index}`,
      kind: isTooSmall(kind, w, h) ? "round" : kind,
      name: labelOf(group, index),
      x,
      y,
      w: w - 2 * gap,
      h: tall,
      controls: [control],
    };
  });
}

/** Return whether a knob or fader has too little space and is drawn as a plain field. */
const isTooSmall = (kind: PartKind, w: number, h: number): boolean =>
  (kind === "knob" && (w < 60 || h < 76)) || (kind === "fader" && h < 90);

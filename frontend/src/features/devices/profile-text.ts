/** Texts of device profiles, and answers to their questions by played events. */
import { localized } from "$language/language.svelte";
import type {
  Answer,
  ChangeInput,
  DeviceProfile,
  EventView,
  Group,
  Variant,
} from "$lib/client/types";
import { freeAlias } from "./entries";
import { strings } from "./strings";

const RELEASES: Record<NonNullable<Group["release"]>, string> = localized(() => ({
  note_off: strings.endsWithNoteOff,
  note_off_64: strings.endsWithNoteOff64,
  note_on_0: strings.endsWithNoteOn0,
  value_0: strings.endsWith0,
  toggle: strings.toggles,
}));

/** Describe the messages of a group of controls, such as “notes 36–51, channel 10”. */
export function describeMessages(group: Group): string {
  const { one, more } = strings.messageNames[group.message];
  const plain = ["pitch_bend", "channel_pressure"].includes(group.message);
  const what = plain
    ? one
    : `${group.numbers.length === 1 ? one : more} ${formatRanges(group.numbers)}`;
  const channels = [...new Set(group.channels)];
  const where = channels.length
    ? strings.channels(formatRanges(channels))
    : group.channel
      ? strings.channel(group.channel)
      : "";
  const how =
    group.encoding && group.encoding !== "absolute" ? strings.turnsAs(group.encoding) : "";
  return [what, where, how, group.release ? RELEASES[group.release] : ""]
    .filter(Boolean)
    .join(", ");
}

/** Return the title of a group with its control numbers, such as “Pad 1–16”. */
export function groupTitle({ name, numbers, bank }: Group): string {
  const plain =
    numbers.length > 1
      ? name.replace("{n}", `1–${numbers.length}`)
      : name.replace("{n}", "").trim();
  return bank ? `${plain}, ${bank}` : plain;
}

function formatRanges(numbers: readonly (number | string)[]): string {
  const sorted = [...new Set(numbers)].sort((a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : 0,
  );
  const found: (number | string)[][] = [];
  for (const one of sorted) {
    const last = found.at(-1);
    if (last && typeof one === "number" && last.at(-1) === one - 1) last.push(one);
    else found.push([one]);
  }
  return found
    .map((run) =>
      run.length > 1 ? `${run[0]}–${run.at(-1)}` : String(run[0]).replaceAll("_", " "),
    )
    .join(", ");
}

const MESSAGE_PATTERN = /\b(note|cc|program(?: change)?|nrpn)\s*(\d+)|\bchannel\s*(\d+)/i;
const CLASSES: Record<string, string> = {
  note: "note_on",
  cc: "cc",
  program: "program_change",
  nrpn: "nrpn",
};

/** Return whether an event can answer a question: an answer names a message or a channel. */
export const isPlayable = (answers: readonly Answer[]): boolean =>
  answers.some((one) => MESSAGE_PATTERN.test(one.found));

/**
 * Return the answer that an event gives. When no answer matches exactly, return an answer such as
 * “another number”, or null if there is none.
 */
export function findAnswer(answers: readonly Answer[], event: EventView): Answer | null {
  const exact = answers.find(({ found }) => {
    const [, message, number, channel] = MESSAGE_PATTERN.exec(found) ?? [];
    if (message)
      return (
        CLASSES[message.toLowerCase().split(" ")[0]!] === event.kind &&
        Number(number) === event.number
      );
    return channel !== undefined && Number(channel) === event.channel;
  });
  return exact ?? answers.find(({ found }) => /^(another|other|anything)/i.test(found)) ?? null;
}

/** Describe whether the data of a profile is confirmed by two sources. */
export function describeReliability(variant: Variant): { text: string; strong: boolean } {
  const strong = variant.groups.filter((group) => group.grade === "two_sources").length;
  if (strong === variant.groups.length)
    return { text: strings.confirmedByTwoSources, strong: true };
  return { text: strong ? strings.partlyFromOneSource : strings.fromOneSource, strong: false };
}

/**
 * Build the change that adds an alias with the matchers of a profile.
 * @param unit the number of the unit among identical devices; null: the only one
 */
export function aliasChange(
  profile: DeviceProfile,
  alias: string,
  unit: number | null,
): ChangeInput {
  const usb = profile.usb.map(({ vendor_id, product_id }) => ({
    type: "UsbIdentifier" as const,
    vendor_id,
    product_id,
    occurrence: null,
  }));
  const matchers = [...profile.matchers, ...usb].map((one) =>
    unit ? { ...one, occurrence: unit } : one,
  );
  return {
    change_type: "CreateDevice",
    device: { alias, description: `${profile.maker} ${profile.model}`, matchers },
  };
}

/** Suggest an unused alias from the model name, such as `mpd218`. */
export function aliasFor(profile: DeviceProfile, taken: readonly string[]): string {
  const { maker, model } = profile;
  // A model such as 16 says nothing without its maker.
  return freeAlias(/[a-z]{2}/i.test(model) ? model : `${maker} ${model}`, taken);
}

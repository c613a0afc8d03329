/** The entries of the command palette that start a new mapping. */
import { kindKeywords, kindName } from "$forms/names";
import type { ActionInput, ControlRef } from "$lib/client/types";
import type { State } from "$lib/state/state";
import type { PaletteItem } from "$lib/state/ui.svelte";
import { createTrigger, type ControlId } from "$lib/trigger";
import { deviceLabel } from "$ui/notes.svelte";
import { strings } from "./strings";

const ACTION_KINDS: readonly ActionInput["type"][] = [
  "Keystroke",
  "Text",
  "Launch",
  "VolumeControl",
  "ModeChange",
  "PushToTalk",
  "Sequence",
  "MouseClick",
  "MouseMove",
  "MouseScroll",
  "SendMidi",
  "MidiForward",
  "OscSend",
  "Led",
  "Plugin",
  "Shell",
  "Delay",
  "Repeat",
  "Conditional",
  "SetVariable",
];

export function buildNewMappingItems(state: State): PaletteItem[] {
  return [...newMappingItems(state), ...namedControlItems(state), ...freeControlItems(state)];
}

/** The kinds of action, each of which starts a new mapping. */
function newMappingItems({ ui }: State): PaletteItem[] {
  return ACTION_KINDS.map((kind) => ({
    id: `new:${kind}`,
    group: strings.newMapping,
    isOnlySearched: true,
    title: strings.newMappingOf(kindName(kind)),
    keywords: kindKeywords(kind),
    run: () => ui.navigate("mappings", { kind: "draft", start: {}, action: kind }),
  }));
}

/** The controls with a name of the user's own, each of which starts a new mapping of it. */
function namedControlItems(state: State): PaletteItem[] {
  return Object.entries(state.config.config?.settings.names ?? {}).flatMap(([device, own]) =>
    Object.entries(own).map(([key, name]) => {
      const [control_class, number, , channel] = key.split(" ");
      const control = { control_class, number, channel: channel ? Number(channel) : null };
      const [title, hint] = [strings.mapControl(name), deviceLabel(device)];
      return controlItem(state, title, hint, control as ControlId, device);
    }),
  );
}

/** The controls of the virtual controller that no mapping uses. */
function freeControlItems(state: State): PaletteItem[] {
  const refs = state.config.rows.flatMap((row) => row.words.controls);
  return state.devices.virtualControls
    .filter((control) => !refs.some((ref) => isControl(ref, control, "virtual")))
    .map((control) =>
      controlItem(
        state,
        strings.mapControl(control.label),
        deviceLabel("virtual"),
        control,
        "virtual",
      ),
    );
}

function isControl(ref: ControlRef, control: ControlId, device: string): boolean {
  return (
    ref.control_class === control.control_class &&
    String(ref.number) === String(control.number) &&
    (ref.device ?? device) === device &&
    (ref.channel ?? control.channel) === control.channel
  );
}

function controlItem(
  { ui }: State,
  title: string,
  hint: string,
  { control_class, number, channel }: ControlId,
  device: string,
): PaletteItem {
  return {
    id: `control:${device} ${control_class} ${number} ${channel}`,
    group: strings.newMapping,
    isOnlySearched: true,
    title,
    hint,
    run: () => {
      const trigger = createTrigger({ control_class, number, channel }, device);
      ui.navigate("mappings", { kind: "draft", start: trigger ? { trigger } : {} });
    },
  };
}

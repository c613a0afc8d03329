/** The icons of actions, by kind. */
import ArrowRightLeft from "@lucide/svelte/icons/arrow-right-left";
import Keyboard from "@lucide/svelte/icons/keyboard";
import Lightbulb from "@lucide/svelte/icons/lightbulb";
import ListOrdered from "@lucide/svelte/icons/list-ordered";
import Mic from "@lucide/svelte/icons/mic";
import Mouse from "@lucide/svelte/icons/mouse";
import Music from "@lucide/svelte/icons/music";
import Puzzle from "@lucide/svelte/icons/puzzle";
import Radio from "@lucide/svelte/icons/radio";
import Repeat from "@lucide/svelte/icons/repeat";
import Rocket from "@lucide/svelte/icons/rocket";
import Split from "@lucide/svelte/icons/split";
import Terminal from "@lucide/svelte/icons/terminal";
import Timer from "@lucide/svelte/icons/timer";
import Type from "@lucide/svelte/icons/type";
import Variable from "@lucide/svelte/icons/variable";
import Volume2 from "@lucide/svelte/icons/volume-2";
import type { Icon } from "$ui";

const ICONS: Record<string, Icon> = {
  Keystroke: Keyboard,
  Text: Type,
  Launch: Rocket,
  Shell: Terminal,
  VolumeControl: Volume2,
  PushToTalk: Mic,
  ModeChange: ArrowRightLeft,
  SendMidi: Music,
  MidiForward: Music,
  OscSend: Radio,
  Led: Lightbulb,
  MouseClick: Mouse,
  MouseMove: Mouse,
  MouseScroll: Mouse,
  Sequence: ListOrdered,
  Delay: Timer,
  Repeat,
  Conditional: Split,
  SetVariable: Variable,
};

export function actionIcon(kind: string): Icon {
  return ICONS[kind] ?? Puzzle;
}

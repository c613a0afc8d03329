/** The icons of mode changes. */
import AppWindow from "@lucide/svelte/icons/app-window";
import ArrowLeftRight from "@lucide/svelte/icons/arrow-left-right";
import ArrowRight from "@lucide/svelte/icons/arrow-right";
import Hand from "@lucide/svelte/icons/hand";
import SkipBack from "@lucide/svelte/icons/skip-back";
import SkipForward from "@lucide/svelte/icons/skip-forward";
import type { Icon } from "$ui";
import type { Behaviour } from "./graph";

export const BEHAVIOUR_ICONS: Record<Behaviour, Icon> = {
  switch: ArrowRight,
  momentary: Hand,
  toggle: ArrowLeftRight,
  next: SkipForward,
  previous: SkipBack,
  profile: AppWindow,
};

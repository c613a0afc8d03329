/** Every view, in the order of the rail. A view that is not made yet is not here. */
import type { Component } from "svelte";
import type { Icon } from "$ui";
import ScrollText from "@lucide/svelte/icons/scroll-text";
import ActivityView from "./ActivityView.svelte";

export interface View {
  id: string;
  title: string;
  icon: Icon;
  component: Component;
  /** Pressed after `g`. */
  shortcut: string;
  /** Starts a new group in the rail. */
  group?: boolean;
}

export const views: readonly View[] = [
  { id: "activity", title: "Activity", icon: ScrollText, component: ActivityView, shortcut: "a" },
];

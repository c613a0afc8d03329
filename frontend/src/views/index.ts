/** Every view, in the order of the rail. A view that is not made yet is not here. */
import type { Component } from "svelte";
import type { Icon } from "$ui";
import Activity from "@lucide/svelte/icons/activity";
import ScrollText from "@lucide/svelte/icons/scroll-text";
import Waypoints from "@lucide/svelte/icons/waypoints";
import ActivityView from "./ActivityView.svelte";
import MappingsView from "./MappingsView.svelte";
import MonitorView from "./MonitorView.svelte";

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
  { id: "mappings", title: "Mappings", icon: Waypoints, component: MappingsView, shortcut: "m" },
  { id: "monitor", title: "Monitor", icon: Activity, component: MonitorView, shortcut: "o" },
  { id: "activity", title: "Activity", icon: ScrollText, component: ActivityView, shortcut: "a" },
];

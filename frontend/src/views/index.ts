/** Every view, in the order of the rail. A view that is not made yet is not here. */
import type { Component } from "svelte";
import type { Icon } from "$ui";
import Activity from "@lucide/svelte/icons/activity";
import GitPullRequest from "@lucide/svelte/icons/git-pull-request-arrow";
import ScrollText from "@lucide/svelte/icons/scroll-text";
import Waypoints from "@lucide/svelte/icons/waypoints";
import Layers from "@lucide/svelte/icons/layers";
import ActivityView from "./ActivityView.svelte";
import MappingsView from "./MappingsView.svelte";
import ModesView from "./ModesView.svelte";
import MonitorView from "./MonitorView.svelte";
import PlansView from "./PlansView.svelte";

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
  { id: "plans", title: "Plans", icon: GitPullRequest, component: PlansView, shortcut: "p" },
  { id: "modes", title: "Modes", icon: Layers, component: ModesView, shortcut: "d", group: true },
  { id: "activity", title: "Activity", icon: ScrollText, component: ActivityView, shortcut: "a" },
];

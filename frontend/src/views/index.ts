/** Every view, in the order of the rail. A view that is not made yet is not here. */
import type { Component } from "svelte";
import type { Icon } from "$ui";
import SettingsIcon from "@lucide/svelte/icons/settings";
import BookOpen from "@lucide/svelte/icons/book-open";
import AppWindow from "@lucide/svelte/icons/app-window";
import Cable from "@lucide/svelte/icons/cable";
import MessageSquare from "@lucide/svelte/icons/message-square";
import Activity from "@lucide/svelte/icons/activity";
import GitPullRequest from "@lucide/svelte/icons/git-pull-request-arrow";
import ScrollText from "@lucide/svelte/icons/scroll-text";
import Waypoints from "@lucide/svelte/icons/waypoints";
import HistoryIcon from "@lucide/svelte/icons/history";
import Layers from "@lucide/svelte/icons/layers";
import Ear from "@lucide/svelte/icons/ear";
import SlidersVertical from "@lucide/svelte/icons/sliders-vertical";
import ChatView from "./ChatView.svelte";
import ActivityView from "./ActivityView.svelte";
import DevicesView from "./DevicesView.svelte";
import HistoryView from "./HistoryView.svelte";
import ControllerView from "./ControllerView.svelte";
import KnowledgeView from "./KnowledgeView.svelte";
import LearnView from "./LearnView.svelte";
import MappingsView from "./MappingsView.svelte";
import ModesView from "./ModesView.svelte";
import MonitorView from "./MonitorView.svelte";
import SettingsView from "./SettingsView.svelte";
import ProfilesView from "./ProfilesView.svelte";
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
  { id: "chat", title: "Chat", icon: MessageSquare, component: ChatView, shortcut: "t" },
  {
    id: "controller",
    title: "Controller",
    icon: SlidersVertical,
    component: ControllerView,
    shortcut: "c",
  },
  { id: "learn", title: "Learn", icon: Ear, component: LearnView, shortcut: "l" },
  { id: "monitor", title: "Monitor", icon: Activity, component: MonitorView, shortcut: "o" },
  { id: "plans", title: "Plans", icon: GitPullRequest, component: PlansView, shortcut: "p" },
  { id: "modes", title: "Modes", icon: Layers, component: ModesView, shortcut: "d", group: true },
  { id: "profiles", title: "Profiles", icon: AppWindow, component: ProfilesView, shortcut: "r" },
  { id: "devices", title: "Devices", icon: Cable, component: DevicesView, shortcut: "v" },
  {
    id: "knowledge",
    title: "Knowledge",
    icon: BookOpen,
    component: KnowledgeView,
    shortcut: "k",
    group: true,
  },
  { id: "history", title: "History", icon: HistoryIcon, component: HistoryView, shortcut: "h" },
  { id: "activity", title: "Activity", icon: ScrollText, component: ActivityView, shortcut: "a" },
  { id: "settings", title: "Settings", icon: SettingsIcon, component: SettingsView, shortcut: "s" },
];

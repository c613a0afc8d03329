/** Every view, in the order of the navigation rail. */
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
import { strings } from "./strings";

export interface View {
  id: string;
  title: string;
  icon: Icon;
  component: Component;
  /** The key to press after `g`. */
  shortcut: string;
  /** Whether the view starts a new group in the rail. */
  group?: boolean;
}

export const views: readonly View[] = [
  {
    id: "mappings",
    title: strings.mappings,
    icon: Waypoints,
    component: MappingsView,
    shortcut: "m",
  },
  { id: "chat", title: strings.chat, icon: MessageSquare, component: ChatView, shortcut: "t" },
  {
    id: "controller",
    title: strings.controller,
    icon: SlidersVertical,
    component: ControllerView,
    shortcut: "c",
  },
  { id: "learn", title: strings.learn, icon: Ear, component: LearnView, shortcut: "l" },
  { id: "monitor", title: strings.monitor, icon: Activity, component: MonitorView, shortcut: "o" },
  { id: "plans", title: strings.plans, icon: GitPullRequest, component: PlansView, shortcut: "p" },
  {
    id: "modes",
    title: strings.modes,
    icon: Layers,
    component: ModesView,
    shortcut: "d",
    group: true,
  },
  {
    id: "profiles",
    title: strings.profiles,
    icon: AppWindow,
    component: ProfilesView,
    shortcut: "r",
  },
  { id: "devices", title: strings.devices, icon: Cable, component: DevicesView, shortcut: "v" },
  {
    id: "knowledge",
    title: strings.knowledge,
    icon: BookOpen,
    component: KnowledgeView,
    shortcut: "k",
    group: true,
  },
  {
    id: "history",
    title: strings.history,
    icon: HistoryIcon,
    component: HistoryView,
    shortcut: "h",
  },
  {
    id: "activity",
    title: strings.activity,
    icon: ScrollText,
    component: ActivityView,
    shortcut: "a",
  },
  {
    id: "settings",
    title: strings.settings,
    icon: SettingsIcon,
    component: SettingsView,
    shortcut: "s",
  },
];

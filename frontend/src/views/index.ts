/** The views, in the order of the navigation rail. */
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
import { highlighting } from "$features/chat/markdown/highlighting";
import { LazyCode } from "$lib/lazy-code.svelte";
import { strings } from "./strings";

type LazyComponent = LazyCode<{ default: Component }>;

export interface View {
  id: string;
  title: string;
  icon: Icon;
  /** The component of the view, which is loaded when the view is first opened. */
  code: LazyComponent;
  /** The key to press after `g`. */
  shortcut: string;
  /** Whether the view starts a new group in the rail. */
  group?: boolean;
}

const lazy = (load: () => Promise<{ default: Component }>): LazyComponent => new LazyCode(load);

export const firstSteps = lazy(() => import("./FirstSteps.svelte"));
export const questions = lazy(() => import("./Questions.svelte"));

export const views: readonly View[] = [
  {
    id: "mappings",
    get title() {
      return strings.mappings;
    },
    icon: Waypoints,
    code: lazy(() => import("./MappingsView.svelte")),
    shortcut: "m",
  },
  {
    id: "chat",
    get title() {
      return strings.chat;
    },
    icon: MessageSquare,
    code: lazy(() => import("./ChatView.svelte")),
    shortcut: "t",
  },
  {
    id: "controller",
    get title() {
      return strings.controller;
    },
    icon: SlidersVertical,
    code: lazy(() => import("./ControllerView.svelte")),
    shortcut: "c",
  },
  {
    id: "learn",
    get title() {
      return strings.learn;
    },
    icon: Ear,
    code: lazy(() => import("./LearnView.svelte")),
    shortcut: "l",
  },
  {
    id: "monitor",
    get title() {
      return strings.monitor;
    },
    icon: Activity,
    code: lazy(() => import("./MonitorView.svelte")),
    shortcut: "o",
  },
  {
    id: "plans",
    get title() {
      return strings.plans;
    },
    icon: GitPullRequest,
    code: lazy(() => import("./PlansView.svelte")),
    shortcut: "p",
  },
  {
    id: "modes",
    get title() {
      return strings.modes;
    },
    icon: Layers,
    code: lazy(() => import("./ModesView.svelte")),
    shortcut: "d",
    group: true,
  },
  {
    id: "profiles",
    get title() {
      return strings.profiles;
    },
    icon: AppWindow,
    code: lazy(() => import("./ProfilesView.svelte")),
    shortcut: "r",
  },
  {
    id: "devices",
    get title() {
      return strings.devices;
    },
    icon: Cable,
    code: lazy(() => import("./DevicesView.svelte")),
    shortcut: "v",
  },
  {
    id: "knowledge",
    get title() {
      return strings.knowledge;
    },
    icon: BookOpen,
    code: lazy(() => import("./KnowledgeView.svelte")),
    shortcut: "k",
    group: true,
  },
  {
    id: "history",
    get title() {
      return strings.history;
    },
    icon: HistoryIcon,
    code: lazy(() => import("./HistoryView.svelte")),
    shortcut: "h",
  },
  {
    id: "activity",
    get title() {
      return strings.activity;
    },
    icon: ScrollText,
    code: lazy(() => import("./ActivityView.svelte")),
    shortcut: "a",
  },
  {
    id: "settings",
    get title() {
      return strings.settings;
    },
    icon: SettingsIcon,
    code: lazy(() => import("./SettingsView.svelte")),
    shortcut: "s",
  },
];

/** The code that is loaded after the start of the page, in the order of its likely use. */
export const lazyCode: readonly LazyCode<unknown>[] = [
  questions,
  ...views.map((view) => view.code),
  firstSteps,
  highlighting,
];

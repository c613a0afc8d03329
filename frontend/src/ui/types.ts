/** Types that several components share. */
import type { Component } from "svelte";

/** A Lucide icon, with the props that are used here. */
export type Icon = Component<{
  size?: number | string;
  strokeWidth?: number | string;
  "aria-hidden"?: "true";
}>;

export type Tone = "neutral" | "accent" | "fired" | "waiting" | "unmatched" | "failed" | "mode";

export interface Option<T extends string = string> {
  value: T;
  label: string;
  hint?: string;
  /** Other words by which the option is found. */
  keywords?: string;
  group?: string;
  disabled?: boolean;
}

export interface MenuItem {
  label: string;
  icon?: Icon;
  /** The colour of a dot before the label. */
  color?: string;
  shortcut?: string;
  danger?: boolean;
  disabled?: boolean;
  checked?: boolean;
  separator?: boolean;
  /** Whether the action moves the focus, which then does not return to the menu's button. */
  takesFocus?: boolean;
  onSelect?: () => void;
}

export interface ToastMessage {
  id: number;
  text: string;
  tone: "info" | "success" | "warning" | "error";
  action?: { label: string; run: () => void };
  /** The hash of the only config with which the toast is true; undefined: it is always true. */
  config?: string;
  /** The view that the toast belongs to; undefined: it concerns the whole app. */
  view?: string;
  /** Toasts of one group replace each other; the text of the toast by default. */
  group: string;
  /** How often a toast of the group has been shown in a row. */
  count: number;
  /** Whether the number is shown beside the text, because the text does not contain it. */
  showsCount: boolean;
}

export type Outcome =
  | "fired"
  | "waiting"
  | "unmatched"
  | "released"
  | "failed"
  | "mode"
  | "info"
  | "no"
  | "paused"
  | "shadowed";

/** A badge next to the trigger and action of a mapping. */
export type RowBadge =
  | "hold"
  | "double"
  | "chord"
  | "release"
  | "condition"
  | "shell"
  | "while_held"
  | "repeat"
  | "sequence"
  | "off";

export interface RowLook {
  trigger: string;
  /** The numbers of the control, if `trigger` contains its name instead. */
  numbers?: string;
  /** The name printed on the control, if `trigger` contains the user's name of it. */
  printed?: string;
  action: string;
  badges: readonly RowBadge[];
  device?: string | null;
}

/** The state of the user interface: view, theme, toasts and dialogs. */
import type { Snippet } from "svelte";
import type { ToastMessage } from "$ui/types";
import type { Target, ViewParams, ViewWithParams } from "./navigation";

export type Theme = "system" | "dark" | "light";

interface ToastOptions {
  tone?: ToastMessage["tone"];
  action?: ToastMessage["action"];
  config?: ToastMessage["config"];
  /** The time until the toast disappears, in ms. With 0 it stays until it is dismissed. */
  duration_ms?: number;
  /**
   * Whether the toast disappears when the current view is left. By default, an error without an
   * action does, because it concerns what was tried there.
   */
  ofView?: boolean;
  /** The group of toasts that replace each other; by default the toasts with the same text. */
  group?: string;
  /** The group whose toast stays above this one, as it tells what the user has just done. */
  under?: string;
  /** Return the text for several toasts of the group; by default a number is shown beside it. */
  textOfMany?: (count: number) => string;
}
interface ConfirmOptions {
  title: string;
  text?: string;
  confirm: string;
  /** The label of the button that answers no; by default “Cancel”. */
  cancel?: string;
  /** What is shown below the text. */
  details?: Snippet;
  danger?: boolean;
  /** A third, better answer, such as “Save”. What it does resolves to whether it is a yes. */
  instead?: { label: string; run: () => Promise<boolean> };
}
export interface OpenConfirm extends ConfirmOptions {
  answer: (confirmed: boolean | Promise<boolean>) => void;
}
export interface PaletteItem {
  id: string;
  title: string;
  group: string;
  hint?: string;
  /** Other words, in English and German, by which the entry is found. */
  keywords?: string;
  shortcut?: string;
  /** Whether it is one of too many to be listed before a word is typed. */
  isOnlySearched?: true;
  run: () => void;
}

const SHORT_TOAST_MS = 4_000;
const LONG_TOAST_MS = 9_000;
const MAX_TOASTS = 4;

export class UiState {
  view = $state("");
  /** Whether the preferences, which contain the last view, are still being loaded. */
  starting = $state(false);
  /** The theme in the settings. `ConfigState.setTheme` changes it. */
  theme = $state<Theme>("system");
  systemDark = $state(true);
  toasts = $state<ToastMessage[]>([]);
  confirming = $state.raw<OpenConfirm | null>(null);
  paletteOpen = $state(false);
  shortcutsOpen = $state(false);
  firstStepsOpen = $state(false);
  prefs = $state.raw<Record<string, unknown>>({});
  resolvedTheme = $derived(
    this.theme === "system" ? (this.systemDark ? "dark" : "light") : this.theme,
  );

  /** The view that was opened with parameters, and these parameters. */
  private target = $state.raw<Target | null>(null);
  private nextToastId = 1;
  private timers = new Map<number, ReturnType<typeof setTimeout>>();
  private paletteSources = new Set<() => PaletteItem[]>();
  /** Ask whether the view may be left; null if no question is needed. */
  private leaveQuestion: (() => Promise<boolean> | null) | null = null;

  constructor(private readonly savePrefs: (patch: Record<string, unknown>) => void) {}

  /** Set the question that is asked before the view is left. Returns a function that removes it. */
  guard(question: () => Promise<boolean> | null): () => void {
    this.leaveQuestion = question;
    return () => {
      if (this.leaveQuestion === question) this.leaveQuestion = null;
    };
  }

  /** Open a view, unless the guard of the current view prevents it. */
  navigate<V extends ViewWithParams>(view: V, params?: ViewParams[V]): void;
  navigate(view: string): void;
  navigate(view: string, params?: unknown): void {
    const question = view === this.view ? null : this.leaveQuestion?.();
    if (!question) return this.openView(view, params);
    void question.then((confirmed) => {
      if (confirmed) this.openView(view, params);
    });
  }

  /**
   * Return the parameters with which a view was opened; null if there are none or they were
   * cleared.
   */
  paramsOf<V extends ViewWithParams>(view: V): ViewParams[V] | null {
    return this.target?.view === view ? (this.target.params as ViewParams[V]) : null;
  }

  /** Clear the parameters of the view, so that they are not used again. */
  clearParams(): void {
    this.target = null;
  }

  private openView(view: string, params: unknown): void {
    if (view !== this.view)
      for (const toast of this.toasts) if (toast.view === this.view) this.dismiss(toast.id);
    this.view = view;
    this.starting = false;
    // The overloads of `navigate` pair each view with its own parameters.
    this.target = params === undefined ? null : ({ view, params } as Target);
    this.setPref("last_view", view);
  }

  /** Return a preference of the user, such as the width of a pane, or the fallback. */
  pref<T>(name: string, fallback: T): T {
    const value = this.prefs[name];
    return typeof value === typeof fallback ? (value as T) : fallback;
  }

  /** Whether mappings do nothing while a control is learned, in all places that listen for one. */
  get learnsSilently(): boolean {
    return this.pref("learn.is_silent", false);
  }
  set learnsSilently(isSilent: boolean) {
    this.setPref("learn.is_silent", isSilent);
  }

  setPref(name: string, value: unknown): void {
    if (this.prefs[name] === value) return;
    this.prefs = { ...this.prefs, [name]: value };
    this.savePrefs({ [name]: value });
  }

  /** Show a toast, which replaces a toast of the same group. Returns its id. */
  toast(
    text: string,
    {
      tone = "info",
      action,
      config,
      duration_ms,
      ofView = tone === "error" && !action,
      group = text,
      under,
      textOfMany,
    }: ToastOptions = {},
  ): number {
    const id = this.nextToastId++;
    const replaced = this.toasts.find((toast) => toast.group === group);
    if (replaced) this.dismiss(replaced.id);
    // The action belongs to the last toast only, so several of these do not count.
    const count = action && !textOfMany ? 1 : (replaced?.count ?? 0) + 1;
    const textForMany = count > 1 ? textOfMany?.(count) : undefined;
    const above = this.toasts.findLastIndex((toast) => toast.group === under);
    this.toasts = this.toasts.toSpliced(above < 0 ? this.toasts.length : above, 0, {
      id,
      text: textForMany ?? text,
      tone,
      group,
      count,
      showsCount: count > 1 && textForMany === undefined,
      ...(action ? { action } : {}),
      ...(config ? { config } : {}),
      ...(ofView ? { view: this.view } : {}),
    });
    this.toasts.slice(0, -MAX_TOASTS).forEach((toast) => this.dismiss(toast.id));
    const duration = duration_ms ?? (action || tone === "error" ? LONG_TOAST_MS : SHORT_TOAST_MS);
    if (duration) this.dismissAfter(duration, id);
    return id;
  }

  private dismissAfter(duration_ms: number, id: number): void {
    this.timers.set(
      id,
      setTimeout(() => this.dismiss(id), duration_ms),
    );
  }

  /** Dismiss the toasts that are true only with the config that has this hash. */
  dismissToastsOf(config: string): void {
    for (const toast of this.toasts) if (toast.config === config) this.dismiss(toast.id);
  }

  dismiss(id: number): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    this.toasts = this.toasts.filter((toast) => toast.id !== id);
  }

  /** Stop the timers of toasts while the pointer is over them, then start them again. */
  holdToasts(held: boolean): void {
    const timed = [...this.timers.keys()];
    this.timers.forEach((timer) => clearTimeout(timer));
    // A toast without a timer stays until it is dismissed.
    if (held) return;
    for (const id of timed) this.dismissAfter(SHORT_TOAST_MS, id);
  }

  /** Ask the user a yes-or-no question in a dialog. Resolves to the answer. */
  confirm(question: ConfirmOptions): Promise<boolean> {
    this.confirming?.answer(false);
    return new Promise((resolve) => {
      this.confirming = {
        ...question,
        answer: (confirmed) => {
          this.confirming = null;
          resolve(confirmed);
        },
      };
    });
  }

  /** Register a source of entries for the command palette. Returns a function that removes it. */
  addPaletteItems(source: () => PaletteItem[]): () => void {
    this.paletteSources.add(source);
    return () => this.paletteSources.delete(source);
  }

  paletteItems(): PaletteItem[] {
    return [...this.paletteSources].flatMap((source) => source());
  }
}

/** The state of the app: version, engine status and failures. */
import { translateSentence } from "$language/sentences";
import { mappingName } from "$lib/scopes";
import { ConnectionLost, type Link } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import type { FailureTopic, FrontApp, Hello, Problem, StatusTopic } from "../client/types";
import { notes } from "$ui/notes.svelte";
import type { UiState } from "./ui.svelte";
import { strings } from "../strings";

/** How a failure of a mapping is shown. */
interface FailingRow {
  name: string;
  edit: () => void;
  onToast: (id: number) => void;
}

const EMPTY_STATUS: StatusTopic = {
  mode: "",
  profile: null,
  muted: [],
  paused: false,
  engine_running: false,
  held_keys: [],
  modes: [],
};

export class AppState {
  info = $state.raw<Hello | null>(null);
  status = $state.raw<StatusTopic>(EMPTY_STATUS);
  front = $state.raw<FrontApp | null>(null);
  problems = $state.raw<Problem[]>([]);
  failures = $state.raw<FailureTopic[]>([]);
  link = $state<Link>("connecting");
  /** Whether the page has been connected at least once. */
  wasOpen = $state(false);
  error = $state<string | null>(null);
  paused = $derived(this.status.paused);
  engineRunning = $derived(this.status.engine_running);
  /** Return whether a failure is shown on the screen, for each place that shows failures. */
  private readonly failurePlaces = new Set<(failure: FailureTopic) => boolean>();

  constructor(
    private readonly client: Client,
    private readonly ui: UiState,
    private readonly findRow: (failure: FailureTopic) => FailingRow | null = () => null,
  ) {
    client.onLink((link) => {
      this.link = link;
      this.wasOpen ||= link === "open";
    });
    client.onResync(() => void this.loadInfo());
    client.on("status", (status) => (this.status = status));
    client.on("front", (front) => (this.front = front));
    client.on("problems", ({ problems }) => (this.problems = problems));
    client.on("failure", (failure) => this.onFailure(failure));
  }

  async loadInfo(): Promise<void> {
    try {
      const info = await this.client.call("app.hello");
      this.info = info;
      notes.platform = info.platform;
      this.status = { ...this.status, engine_running: info.engine_running };
      this.error = null;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.error = errorMessage(error);
    }
  }

  panic = (): Promise<boolean> =>
    this.attempt(() => this.client.call("engine.panic"), strings.allReleased);
  setPaused = (paused: boolean): Promise<boolean> =>
    this.attempt(() => this.client.call("engine.pause", { paused }));
  restartEngine = (): Promise<boolean> =>
    this.attempt(() => this.client.call("engine.restart"), strings.restartingEngine);
  switchMode = (mode: string): Promise<boolean> =>
    this.attempt(() => this.client.call("modes.switch", { mode }));

  /**
   * Register a place on the screen that shows failures, so that no toast repeats them. Returns a
   * function that removes it.
   * @param shows returns whether the place shows a failure
   */
  showFailures(shows: (failure: FailureTopic) => boolean): () => void {
    this.failurePlaces.add(shows);
    return () => void this.failurePlaces.delete(shows);
  }

  /** Open a link in the user's browser if the user confirms. */
  async openUrl(url: string): Promise<void> {
    const confirmed = await this.ui.confirm({
      title: strings.openLinkQuestion,
      text: url,
      confirm: strings.open,
    });
    if (confirmed) await this.attempt(() => this.client.call("shell.open_url", { url }));
  }

  /** Run an operation and show its outcome in a toast. Resolves to whether it succeeded. */
  async attempt(run: () => Promise<unknown>, successText?: string): Promise<boolean> {
    try {
      await run();
      if (successText) this.ui.toast(successText, { tone: "success" });
      return true;
    } catch (error) {
      this.ui.toast(errorMessage(error), { tone: "error" });
      return false;
    }
  }

  private onFailure(failure: FailureTopic): void {
    this.failures = [failure, ...this.failures].slice(0, 100);
    if ([...this.failurePlaces].some((shows) => shows(failure))) return;
    const reason = translateSentence(failure.reason);
    const row = this.findRow(failure);
    const name = row?.name ?? mappingName(failure.mapping);
    const id = this.ui.toast(strings.actionFailed(name, reason), {
      tone: "error",
      group: `failure: ${reason}`,
      textOfMany: (count) => strings.actionsFailed(count, reason),
      // The row and the Monitor show the failure for longer.
      action: row
        ? { label: strings.edit, run: row.edit }
        : { label: strings.show, run: () => this.ui.navigate("monitor") },
    });
    row?.onToast(id);
  }
}

/** One plan that is looked at, and what the user does about it. */
import { words } from "$lib/client/client";
import type { ChangeInput, ConfigPlan, PlanView } from "$lib/client/types";
import type { State } from "$lib/state/state";
import { EDITED, IN_PART, isOpen } from "./words";

export class PlanController {
  /** The plan that is looked at. */
  chosen = $state<string | null>(null);
  view = $state.raw<PlanView | null>(null);
  error = $state<string | null>(null);
  busy = $state<"apply" | "discard" | null>(null);
  readonly plan: ConfigPlan | undefined;
  /** It waits for an answer. */
  readonly open: boolean;
  /** The config is no longer the one it was proposed for. */
  readonly outdated: boolean;
  /** An example of its own fails. */
  readonly failing: boolean;
  /** Its changes can be made by hand. */
  readonly usable: boolean;
  /** The step through the history that takes back, or makes again, this plan and nothing else. */
  readonly way: PlanView["way"];
  private asked = 0;
  /** The config for which `view` was read. */
  private readFor = $state("");

  /** @param quiet says no word of what it shows itself. */
  constructor(
    protected readonly state: State,
    private readonly quiet = false,
  ) {
    const { plans, config } = state;
    this.plan = $derived(
      plans.plans.find((plan) => plan.plan_id === this.chosen) ??
        (this.view?.plan.plan_id === this.chosen ? this.view?.plan : undefined),
    );
    this.open = $derived(!!this.plan && isOpen(this.plan));
    this.outdated = $derived(
      this.open &&
        this.plan?.kind === "config" &&
        config.hash !== "" &&
        this.plan.base_state_hash !== config.hash,
    );
    this.failing = $derived(this.plan?.examples.some((one) => !one.passed) ?? false);
    this.usable = $derived(
      this.plan?.kind === "config" &&
        !!this.view?.changes.length &&
        (this.open || this.plan.status === "expired" || this.plan.status === "stale"),
    );
    this.way = $derived(
      this.view?.plan.plan_id === this.chosen && this.readFor === config.hash
        ? this.view.way
        : null,
    );
  }

  choose(plan_id: string | null): void {
    if (plan_id === this.chosen) return;
    this.chosen = plan_id;
    this.view = this.error = null;
  }

  /** Reads the chosen plan again; call it when it or its status changes. */
  async load(): Promise<void> {
    const own = ++this.asked;
    const plan_id = this.chosen;
    if (plan_id === null) return;
    const { hash } = this.state.config;
    try {
      const view = await this.state.plans.get(plan_id);
      if (own !== this.asked) return;
      this.view = view;
      this.readFor = hash;
      this.error = null;
    } catch (error) {
      if (own === this.asked) this.error = words(error);
    }
  }

  async apply(): Promise<void> {
    const plan = this.plan;
    if (!plan || this.busy) return;
    this.busy = "apply";
    const { ui, config, plans } = this.state;
    try {
      const done = await plans.apply(plan.plan_id);
      await config.load();
      if (done.kind !== "config")
        ui.toast(
          done.status === "approved"
            ? "Approved. It is sent when the agent asks for it again."
            : `Done: ${plan.description}`,
          { tone: "success" },
        );
      else if (!this.quiet) this.made(plan, "Applied");
    } catch (error) {
      ui.toast(words(error), { tone: "error" });
      await plans.load();
    } finally {
      this.busy = null;
    }
  }

  /** Goes the way that is there: undoes the plan, or makes it again. */
  async step(): Promise<void> {
    const { config } = this.state;
    if (this.way) await config[this.way]();
  }

  async discard(reason = ""): Promise<void> {
    const plan = this.plan;
    if (!plan || this.busy) return;
    this.busy = "discard";
    const { ui, plans } = this.state;
    try {
      await plans.reject(plan.plan_id, reason);
      if (!this.quiet) ui.toast(`Discarded: ${plan.description}`);
    } catch (error) {
      ui.toast(words(error), { tone: "error" });
      await plans.load();
    } finally {
      this.busy = null;
    }
  }

  /** Makes changes of the plan as the user's own, then turns the plan down. */
  async commit(changes: ChangeInput[], reason = EDITED): Promise<void> {
    const plan = this.plan;
    if (!plan) return;
    await this.state.config.commit(changes, `${plan.description} (edited)`);
    this.made(plan, reason === IN_PART ? "Applied in part" : "Changed");
    await this.turnDown(plan, reason);
  }

  /** Opens a new mapping of the plan in the editor. */
  openInEditor(change: ChangeInput): void {
    const plan = this.plan;
    if (change.change_type !== "CreateMapping" || !plan) return;
    const scope = change.mode
      ? `mode:${change.mode}`
      : change.profile
        ? `profile:${change.profile}`
        : "global";
    this.state.ui.navigate("mappings", {
      draft: change.mapping,
      scope,
      added: () => void this.turnDown(plan, EDITED),
    });
  }

  private made(plan: ConfigPlan, word: string): void {
    const { config, ui } = this.state;
    const { hash } = config;
    const undo = (): void => {
      if (hash === config.hash) void config.undo();
      else
        ui.toast("Something else was changed since; go back in the History view.", {
          tone: "warning",
        });
    };
    ui.toast(`${word}: ${plan.description}`, {
      tone: "success",
      action: { label: "Undo", run: undo },
    });
  }

  private async turnDown(plan: ConfigPlan, reason: string): Promise<void> {
    const { plans } = this.state;
    if (!isOpen(plan)) return;
    try {
      await plans.reject(plan.plan_id, reason);
    } catch {
      await plans.load(); // it expired meanwhile: that is as good
    }
  }
}

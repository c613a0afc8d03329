/** The plan that is being reviewed, and what the user does about it. */
import { words } from "$lib/client/client";
import type { ChangeInput, ConfigPlan, PlanView } from "$lib/client/types";
import type { State } from "$lib/state/state";
import { inOrder, isOpen, matches } from "./words";

export class ReviewDesk {
  search = $state("");
  chosen = $state<string | null>(null);
  view = $state.raw<PlanView | null>(null);
  error = $state<string | null>(null);
  busy = $state<"apply" | "discard" | null>(null);
  /** The plan that was applied here, with the config it made: it can be undone while that stands. */
  done = $state.raw<{ plan_id: string; hash: string } | null>(null);
  readonly list: ConfigPlan[];
  readonly selected: number;
  readonly plan: ConfigPlan | undefined;
  readonly outdated: boolean;
  readonly canUndo: boolean;
  private asked = 0;

  constructor(private readonly state: State) {
    const { plans, config } = state;
    this.list = $derived(inOrder(plans.plans).filter((plan) => matches(plan, this.search)));
    this.selected = $derived(this.list.findIndex((plan) => plan.plan_id === this.chosen));
    this.plan = $derived(plans.plans.find((plan) => plan.plan_id === this.chosen));
    this.outdated = $derived(!!this.plan && this.plan.kind === "config" && isOpen(this.plan) && config.hash !== "" && this.plan.base_state_hash !== config.hash);
    this.canUndo = $derived(this.done !== null && this.done.plan_id === this.chosen && this.done.hash === config.hash);
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
    try {
      const view = await this.state.plans.get(plan_id);
      if (own !== this.asked) return;
      this.view = view;
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
      if (done.kind === "config") {
        this.done = { plan_id: plan.plan_id, hash: config.hash };
        ui.toast(`Applied: ${plan.description}`, { tone: "success", action: { label: "Undo", run: () => void this.undo() } });
      } else ui.toast(done.status === "approved" ? "Approved. It is sent when the agent asks for it again." : `Done: ${plan.description}`, { tone: "success" });
    } catch (error) {
      ui.toast(words(error), { tone: "error" });
      await plans.load();
    } finally {
      this.busy = null;
    }
  }

  async undo(): Promise<void> {
    const { config, ui } = this.state;
    if (this.done && this.done.hash !== config.hash) return void ui.toast("Something else was changed since; go back in the History view.", { tone: "warning" });
    if (await config.undo()) this.done = null;
  }

  async discard(reason = ""): Promise<void> {
    const plan = this.plan;
    if (!plan || this.busy) return;
    this.busy = "discard";
    const { ui, plans } = this.state;
    try {
      await plans.reject(plan.plan_id, reason);
      ui.toast(`Discarded: ${plan.description}`);
    } catch (error) {
      ui.toast(words(error), { tone: "error" });
      await plans.load();
    } finally {
      this.busy = null;
    }
  }

  /** Makes changes of the plan as the user's own, then turns the plan down. */
  async commit(changes: ChangeInput[]): Promise<void> {
    const { config, plans, ui } = this.state;
    const plan = this.plan;
    if (!plan) return;
    await config.commit(changes, `${plan.description} (edited)`);
    this.done = { plan_id: plan.plan_id, hash: config.hash };
    ui.toast(`Changed: ${plan.description}`, { tone: "success", action: { label: "Undo", run: () => void this.undo() } });
    await this.turnDown(plan, plans);
  }

  private async turnDown(plan: ConfigPlan, plans: State["plans"]): Promise<void> {
    if (!isOpen(plan)) return;
    try {
      await plans.reject(plan.plan_id, "edited by the user");
    } catch {
      await plans.load(); // it expired meanwhile: that is as good
    }
  }

  /** Opens a new mapping of the plan in the editor. */
  open(change: ChangeInput): void {
    if (change.change_type !== "CreateMapping") return;
    const scope = change.mode ? `mode:${change.mode}` : change.profile ? `profile:${change.profile}` : "global";
    this.state.ui.navigate("mappings", { draft: change.mapping, scope });
  }
}

/** Plans: proposed changes to the config. */
import { ConnectionLost } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import { LatestRequest } from "../latest";
import type { ConfigPlan, PlanView } from "../client/types";

export class PlansState {
  /** The plans, newest first. */
  plans = $state.raw<ConfigPlan[]>([]);
  error = $state<string | null>(null);
  loaded = $state(false);
  /** The ids of the plans that were applied and then undone. */
  undone = $state.raw<ReadonlySet<string>>(new Set());
  private readonly undoneRequests = new LatestRequest();
  /** The plans that the user is saving in edited form, which makes them stale first. */
  readonly edited = new Set<string>();
  /** The toast ids of announced plans, by plan id. */
  readonly toasts = new Map<string, number>();
  pending = $derived(this.plans.filter((plan) => plan.status === "pending"));

  /**
   * @param announce called with each new pending plan.
   * @param announceStale called with the pending plans that a change of the config made stale.
   */
  constructor(
    private readonly client: Client,
    announce: (plan: ConfigPlan) => void = () => {},
    private readonly announceStale: (plans: ConfigPlan[]) => void = () => {},
  ) {
    client.onResync(() => void this.load());
    // A change of the config makes pending plans stale.
    client.on("config", () => void (this.pending.length && this.load()));
    client.on("plan", (plan) => {
      // The list names all plans that became stale at once.
      if (plan.status === "stale") return void this.load();
      // Before the first load, it may be an older plan that was proved again.
      const isKnown = this.plans.some((known) => known.plan_id === plan.plan_id);
      const isNew = this.loaded && plan.status === "pending" && !isKnown;
      this.put(plan);
      if (isNew) announce(plan);
    });
    client.on("plan_coverage", ({ plan_id, coverage }) => {
      this.plans = this.plans.map((plan) =>
        plan.plan_id === plan_id ? { ...plan, coverage } : plan,
      );
    });
  }

  async load(): Promise<void> {
    try {
      const { plans } = await this.client.call("plans.list");
      const pending = new Set(this.pending.map((plan) => plan.plan_id));
      this.plans = sortPlans(plans);
      const stale = plans.filter(
        ({ status, plan_id }) =>
          status === "stale" && pending.has(plan_id) && !this.edited.has(plan_id),
      );
      if (stale.length) this.announceStale(stale);
      this.loaded = true;
      this.error = null;
    } catch (error) {
      if (!(error instanceof ConnectionLost)) this.error = errorMessage(error);
    }
  }

  get(plan_id: string): Promise<PlanView> {
    return this.client.call("plans.get", { plan_id });
  }

  /** Apply a plan as it is shown, with the proof for its config. */
  async apply({ plan_id, base_state_hash }: ConfigPlan): Promise<ConfigPlan> {
    const params = { plan_id, base_hash: base_state_hash };
    return this.put(await this.client.call("plans.apply", params));
  }

  /**
   * Apply only the changes with these indexes.
   * @param base_hash the hash of the config for which the user has seen what they do.
   */
  async applyPart(plan_id: string, selected: number[], base_hash: string): Promise<ConfigPlan> {
    return this.put(await this.client.call("plans.apply_part", { plan_id, selected, base_hash }));
  }

  async reject(plan_id: string, reason: string): Promise<ConfigPlan> {
    return this.put(await this.client.call("plans.reject", { plan_id, reason }));
  }

  /** Load the ids of the plans that were applied and then undone. */
  async loadUndone(): Promise<void> {
    const isLatest = this.undoneRequests.start();
    try {
      const { plan_ids } = await this.client.call("plans.undone");
      if (isLatest()) this.undone = new Set(plan_ids);
    } catch {
      // The list still shows how each plan was decided.
    }
  }

  /**
   * Close a plan of which the user saved a change in edited form.
   * @param result_hash the hash of the config with that change.
   */
  async markEdited(plan_id: string, result_hash: string): Promise<void> {
    try {
      this.put(await this.client.call("plans.mark_edited", { plan_id, result_hash }));
    } catch {
      await this.load(); // The plan was decided elsewhere meanwhile.
    }
  }

  private put(plan: ConfigPlan): ConfigPlan {
    this.plans = sortPlans([plan, ...this.plans.filter((known) => known.plan_id !== plan.plan_id)]);
    return plan;
  }
}

function sortPlans(plans: ConfigPlan[]): ConfigPlan[] {
  return [...plans].sort((a, b) => b.created_at.localeCompare(a.created_at));
}

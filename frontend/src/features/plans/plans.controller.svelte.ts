/** View model of the Plans view: the list of plans and the selected plan. */
import type { ConfigPlan, PlanView } from "$lib/client/types";
import type { State } from "$lib/state/state";
import { PlanController } from "$proof/plan.controller.svelte";
import { sortPlans, matchesSearch } from "$proof/words";

export class PlansController extends PlanController {
  /** The text in the search field. */
  search = $state("");
  /** The plans that match the search, in the order of the list. */
  readonly list: ConfigPlan[];
  /** The index of the selected plan in `list`; -1 when the plan is not in the list. */
  readonly selected: number;

  /** Return “undone” for a plan that was applied and then undone, otherwise null. */
  standingOf = (plan: ConfigPlan): PlanView["standing"] =>
    this.state.plans.undone.has(plan.plan_id) ? "undone" : null;

  constructor(state: State) {
    super(state);
    this.list = $derived(
      sortPlans(state.plans.plans).filter((plan) =>
        matchesSearch(plan, this.search, this.standingOf(plan)),
      ),
    );
    this.selected = $derived(this.list.findIndex((plan) => plan.plan_id === this.chosen));
  }
}

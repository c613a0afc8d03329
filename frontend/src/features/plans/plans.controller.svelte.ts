/** The plan that is being reviewed, and the list it stands in. */
import type { ConfigPlan } from "$lib/client/types";
import type { State } from "$lib/state/state";
import { PlanController } from "$proof/plan.controller.svelte";
import { inOrder, matches } from "$proof/words";

export class PlansController extends PlanController {
  search = $state("");
  readonly list: ConfigPlan[];
  readonly selected: number;

  constructor(state: State) {
    super(state);
    this.list = $derived(inOrder(state.plans.plans).filter((plan) => matches(plan, this.search)));
    this.selected = $derived(this.list.findIndex((plan) => plan.plan_id === this.chosen));
  }
}

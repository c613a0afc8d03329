/** Which changes of a plan are wanted, and what these alone would do. */
import { words } from "$lib/client/client";
import type { ChangeInput, PlanView, Proof } from "$lib/client/types";

export class Choice {
  chosen = $state<boolean[]>([]);
  proof = $state.raw<Proof | null>(null);
  problem = $state<string | null>(null);
  readonly changes: ChangeInput[];
  readonly all: boolean;
  private asked = 0;

  constructor(
    readonly view: PlanView,
    private readonly preview: (changes: ChangeInput[]) => Promise<Proof>,
  ) {
    this.chosen = view.changes.map(() => true);
    this.changes = $derived(view.changes.filter((_, index) => this.chosen[index]) as ChangeInput[]);
    this.all = $derived(this.changes.length === view.changes.length);
  }

  name(index: number): string {
    return (
      this.view.plan.changes[index]?.description ?? this.view.changes[index]?.change_type ?? ""
    );
  }

  /** Works out what the wanted changes would do. */
  async look(wanted = this.changes): Promise<void> {
    const own = ++this.asked;
    this.problem = null;
    if (!wanted.length) return void (this.proof = null);
    try {
      const found = await this.preview(wanted);
      if (own === this.asked) this.proof = found;
    } catch (error) {
      if (own !== this.asked) return;
      this.proof = null;
      this.problem = words(error);
    }
  }
}

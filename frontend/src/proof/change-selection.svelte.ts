/** The user's selection of changes in a plan, with the proof of these changes alone. */
import { describeChange } from "$forms/changes/settings";
import { translateSentence } from "$language/sentences";
import { errorMessage } from "$lib/client/client";
import { LatestRequest } from "$lib/latest";
import type { ChangeInput, PlanView, Proof } from "$lib/client/types";

export class ChangeSelection {
  chosen = $state<boolean[]>([]);
  proof = $state.raw<Proof | null>(null);
  problem = $state<string | null>(null);
  readonly changes: ChangeInput[];
  /** The indexes of the chosen changes. */
  readonly indexes: number[];
  readonly all: boolean;
  private readonly requests = new LatestRequest();

  constructor(
    readonly view: PlanView,
    private readonly preview: (changes: ChangeInput[]) => Promise<Proof>,
  ) {
    this.chosen = view.changes.map(() => true);
    this.changes = $derived(view.changes.filter((_, index) => this.chosen[index]) as ChangeInput[]);
    this.indexes = $derived(
      view.changes.flatMap((_, index) => (this.chosen[index] ? [index] : [])),
    );
    this.all = $derived(this.changes.length === view.changes.length);
  }

  /** Return the description of a change. */
  name(index: number): string {
    const text =
      this.view.plan.changes[index]?.description ?? this.view.changes[index]?.change_type ?? "";
    return describeChange(text) ?? translateSentence(text);
  }

  /** Load the proof of the selected changes, or the error if it cannot be made. */
  async loadProof(wanted = this.changes): Promise<void> {
    const isLatest = this.requests.start();
    this.problem = null;
    if (!wanted.length) return void (this.proof = null);
    try {
      const found = await this.preview(wanted);
      if (isLatest()) this.proof = found;
    } catch (error) {
      if (!isLatest()) return;
      this.proof = null;
      this.problem = errorMessage(error);
    }
  }
}

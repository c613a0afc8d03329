/** The view model of one plan: its effects, and the user's decision. */
import { modeScope, profileScope } from "$lib/scopes";
import { errorMessage } from "$lib/client/client";
import type { ChangeInput, ChatMessage, ConfigPlan, PlanView } from "$lib/client/types";
import { LatestRequest } from "$lib/latest";
import { isTypedInChat } from "$lib/requesters";
import type { State } from "$lib/state/state";
import { textOf } from "$lib/state/chat/message-entry.svelte";
import { withNotes } from "$ui";
import { isOpen, planTitle } from "./words";
import { strings } from "./strings";

type MappingPlace = { mode?: string | null; profile?: string | null };

const scopeOf = ({ mode, profile }: MappingPlace): string =>
  mode ? modeScope(mode) : profile ? profileScope(profile) : "global";

export class PlanController {
  /** The id of the shown plan; null if none is selected. */
  chosen = $state<string | null>(null);
  /** The shown plan with its changes and proof; null until it is loaded. */
  view = $state.raw<PlanView | null>(null);
  /** The error of the last load; null if it succeeded. */
  error = $state<string | null>(null);
  /** The decision that is being sent to the backend; null if there is none. */
  busy = $state<"apply" | "discard" | null>(null);
  /** The shown plan, from the list of plans if it is there. */
  readonly plan: ConfigPlan | undefined;
  /** Whether the plan waits for a decision. */
  readonly open: boolean;
  /** Whether the config has changed since the plan was proposed. */
  readonly outdated: boolean;
  /** Whether one of the plan's own examples fails. */
  readonly failing: boolean;
  /** Whether the chat can propose the plan again, because it can no longer be applied. */
  readonly canAskAgain: boolean;
  /** Whether the user can use changes of the plan although it cannot be applied as proposed. */
  readonly usable: boolean;
  /** The only change of a plan that can be applied, if the editor can open it; otherwise null. */
  readonly editable: ChangeInput | null;
  /** The step (`undo` or `redo`) that undoes or redoes exactly this plan; null if there is none. */
  readonly way: PlanView["way"];
  private readonly requests = new LatestRequest();
  /** The hash of the config for which `view` was loaded. */
  private loadedForHash = $state("");

  /**
   * @param quiet whether to show no toasts about decisions, because the component shows them.
   */
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
    this.failing = $derived(this.plan?.examples.some((example) => !example.passed) ?? false);
    this.canAskAgain = $derived(
      this.plan?.requested_by.caller === "chat" &&
        (this.outdated || this.plan.status === "stale" || this.plan.status === "expired"),
    );
    this.usable = $derived(
      this.plan?.kind === "config" &&
        !!this.view?.changes.length &&
        (this.outdated ||
          ["expired", "stale"].includes(this.plan.status) ||
          // A plan that was applied in edited form was rejected, too, and has a result.
          (this.plan.status === "rejected" && !this.plan.result_hash)),
    );
    this.editable = $derived.by(() => {
      const [change, ...others] = (this.view?.changes ?? []) as ChangeInput[];
      const isOnly = this.open && !this.outdated && change && !others.length;
      return isOnly && this.canOpenInEditor(change) ? change : null;
    });
    this.way = $derived(
      this.view?.plan.plan_id === this.chosen && this.loadedForHash === config.hash
        ? this.view.way
        : null,
    );
  }

  choose(plan_id: string | null): void {
    if (plan_id === this.chosen) return;
    this.chosen = plan_id;
    this.view = this.error = null;
  }

  /** Load the shown plan. Call it when the plan or its status changes. */
  async load(): Promise<void> {
    const isLatest = this.requests.start();
    const plan_id = this.chosen;
    if (plan_id === null) return;
    const { hash } = this.state.config;
    try {
      const view = await this.state.plans.get(plan_id);
      if (!isLatest()) return;
      this.view = view;
      this.loadedForHash = hash;
      this.error = null;
    } catch (error) {
      if (isLatest()) this.error = errorMessage(error);
    }
  }

  /**
   * Apply the plan.
   * @param selected the indexes of the changes to apply; left out: all
   */
  async apply(selected?: number[]): Promise<void> {
    const plan = this.plan;
    if (!plan || this.busy) return;
    this.busy = "apply";
    const { ui, config, plans } = this.state;
    try {
      const done = selected
        ? await plans.applyPart(plan.plan_id, selected, config.hash)
        : await plans.apply(plan);
      await config.load();
      if (done.kind !== "config")
        ui.toast(done.status === "approved" ? strings.approved : strings.done(planTitle(plan)), {
          tone: "success",
        });
      else if (selected) this.showApplied(done, strings.appliedInPart);
      else if (!this.quiet) this.showApplied(plan, strings.applied);
    } catch (error) {
      ui.toast(errorMessage(error), { tone: "error" });
      await plans.load();
    } finally {
      this.busy = null;
    }
  }

  /** Undo or redo the plan, depending on what the history allows. */
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
      if (!this.quiet) ui.toast(strings.discarded(planTitle(plan)));
    } catch (error) {
      ui.toast(errorMessage(error), { tone: "error" });
      await plans.load();
    } finally {
      this.busy = null;
    }
  }

  /** Apply the selected changes of the plan, even if it can no longer be applied as proposed. */
  async commit(selected: number[]): Promise<void> {
    const { plan } = this;
    if (!plan) return;
    const { config, plans } = this.state;
    const done = await plans.applyPart(plan.plan_id, selected, config.hash);
    await config.load();
    this.showApplied(done, done.left_out.length ? strings.appliedInPart : strings.applied);
  }

  /**
   * Propose the plan again in its conversation: by the slash command that proposed it, or by asking
   * the assistant.
   * @param description of the plan, if the plan itself no longer exists
   */
  async askAgain(description = ""): Promise<void> {
    const { chat, ui } = this.state;
    const { conversation_id = null } = this.plan?.requested_by ?? {};
    if (conversation_id && chat.current.id !== conversation_id) await chat.open(conversation_id);
    ui.navigate("chat");
    const command = await this.findCommand();
    await chat.sendText(command ?? strings.askAgainMessage(this.plan?.description ?? description));
  }

  /** Return the slash command that proposed the plan; null if the assistant proposed it. */
  private async findCommand(): Promise<string | null> {
    const { plan } = this;
    if (plan && !isTypedInChat(plan.requested_by)) return null;
    const { current } = this.state.chat;
    const findAnswer = (): ChatMessage | undefined =>
      current.entries.find(({ message }) =>
        message.parts.some((part) => part.type === "tool_result" && part.plan_id === this.chosen),
      )?.message;
    let answer = findAnswer();
    for (let count = -1; !answer && count !== current.entries.length; answer = findAnswer()) {
      count = current.entries.length;
      await current.loadOlder();
    }
    // The answer to a command has no provider, also when its plan no longer exists.
    const asked = answer?.provider === null ? current.find(answer.parent_id ?? "") : undefined;
    return asked ? textOf(asked.message) : null;
  }

  /**
   * Return whether the editor can open a change: a new mapping, or an edit of a mapping as it is in
   * the current config.
   */
  canOpenInEditor = (change: ChangeInput): boolean =>
    change.change_type === "CreateMapping" ||
    (change.change_type === "UpdateMapping" &&
      this.plan?.base_state_hash === this.state.config.hash);
  /** Open the editor with a mapping as the plan would create or change it. */
  openInEditor = (change: ChangeInput): void => {
    if (!this.plan || !this.canOpenInEditor(change)) return;
    const { plan_id } = this.plan;
    const { ui } = this.state;
    if (change.change_type === "CreateMapping")
      ui.navigate("mappings", {
        kind: "draft",
        start: change.mapping,
        scope: scopeOf(change),
        plan_id,
      });
    else if (change.change_type === "UpdateMapping")
      ui.navigate("mappings", {
        kind: "row",
        scope: scopeOf(change),
        index: change.index,
        edit: { change, plan_id },
      });
  };

  /** Show a toast with Undo. */
  private showApplied(plan: Pick<ConfigPlan, "description">, label: string): void {
    const { config } = this.state;
    config.showChange(`${label}: ${withNotes(plan.description)}`, config.hash);
  }
}

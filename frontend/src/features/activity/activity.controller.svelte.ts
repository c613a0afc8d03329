/** View model of the Activity view: the filtered entries, grouped into events and days. */
import { errorMessage } from "$lib/client/client";
import type { ActivityEntry } from "$lib/client/types";
import { saveText } from "$lib/files";
import { LatestRequest } from "$lib/latest";
import type { State } from "$lib/state/state";
import { isByUser } from "$lib/requesters";
import { planTitle, requesterName as planRequester } from "$proof/words";
import { describeSetting } from "$forms/changes/settings";
import { describeAction, describeSettings, planOf } from "./entry";
import { NO_FILTERS, toParams, type ActivityFilters } from "./filters";
import { strings } from "./strings";
import { groupByDay, groupEntries, type Day } from "./timeline";

const PAGE = 200;

export class ActivityController {
  chosen = $state.raw<ActivityFilters>(NO_FILTERS);
  /** The reason why the entries could not be loaded; null: no error. */
  error = $state<string | null>(null);
  loading = $state(true);
  /** Whether there are older entries. */
  hasOlder = $state(false);
  readonly days: Day[];
  private entries = $state.raw<ActivityEntry[]>([]);
  private now = $state(Date.now());
  private readonly requests = new LatestRequest();

  constructor(private readonly state: State) {
    this.days = $derived(groupByDay(groupEntries(this.entries, this.describe), new Date(this.now)));
  }

  describe = (entry: ActivityEntry): string =>
    describeSettings(entry.tool, entry.arguments, describeSetting) ??
    describeAction(entry, (id) => {
      const plan = this.state.plans.plans.find((one) => one.plan_id === id);
      return plan ? planTitle(plan) : null;
    });

  /** Return who proposed the plan that an entry applied; null for the user's own plan. */
  proposerOf = (entry: ActivityEntry): string | null => {
    if (!entry.tool.startsWith("plans.apply")) return null;
    const plan = this.state.plans.plans.find((one) => one.plan_id === planOf(entry));
    return plan && !isByUser(plan.requested_by)
      ? strings.proposedBy(planRequester(plan.requested_by))
      : null;
  };

  /** Return what opens the mapping that failed; null if it was changed or deleted since then. */
  editorOf = (entry: ActivityEntry): (() => void) | null => {
    const { scope, index } = entry.arguments;
    if (entry.tool !== "mapping.failed" || typeof scope !== "string" || typeof index !== "number")
      return null;
    const row = this.state.config.row(scope, index);
    const name = row?.mapping.description;
    if (!row || (name && !entry.client?.startsWith(name))) return null;
    return () => this.state.ui.navigate("mappings", { kind: "row", scope, index });
  };

  /** Load the newest entries, or the next older ones. */
  async load(older = false): Promise<void> {
    const isLatest = this.requests.start();
    this.loading = true;
    this.now = Date.now();
    try {
      const page = await this.state.client.call("activity.list", {
        limit: PAGE,
        before_id: older ? (this.entries.at(-1)?.id ?? null) : null,
        ...toParams(this.chosen, this.now),
      });
      if (!isLatest()) return;
      this.entries = older ? [...this.entries, ...page.entries] : page.entries;
      this.hasOlder = page.entries.length === PAGE;
      this.error = null;
    } catch (failure) {
      if (isLatest()) this.error = errorMessage(failure);
    } finally {
      if (isLatest()) this.loading = false;
    }
  }

  /** Add entries that are newer than the shown ones, without closing what is open. */
  async refresh(): Promise<void> {
    if (this.loading || this.error) return;
    const isLatest = this.requests.start();
    try {
      const now = Date.now();
      const { entries } = await this.state.client.call("activity.list", {
        limit: PAGE,
        before_id: null,
        ...toParams(this.chosen, now),
      });
      if (!isLatest()) return;
      const oldest = entries.at(-1)?.id ?? Infinity;
      this.entries = [...entries, ...this.entries.filter((entry) => entry.id < oldest)];
      this.now = now;
    } catch {
      // The list stays as it is until the next change.
    }
  }

  async save(format: "json" | "csv"): Promise<void> {
    const { app, client, ui } = this.state;
    await app.attempt(async () => {
      const file = await client.call("activity.export", {
        format,
        ...toParams(this.chosen, Date.now()),
      });
      await saveText(this.state, file.name, file.content);
      if (file.left_out)
        ui.toast(strings.leftOut(file.entries, file.left_out), { tone: "warning" });
    });
  }
}

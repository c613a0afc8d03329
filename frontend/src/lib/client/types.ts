/** What the commands take and give, and what the events carry. */
import type { ActionInput, ConfigPlan, TriggerInput } from "./generated";

export type * from "./generated";

export type PlanStatus = ConfigPlan["status"];

/** A trigger, an action or a part of one as a form edits it: any field may be missing yet. */
export type Draft = { type: string; [field: string]: unknown };
export type MappingDraft = { trigger: TriggerInput; action: ActionInput };

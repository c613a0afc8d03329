/** The parameters and results of commands, and the payloads of events. */
import type { ActionInput, ConfigPlan, TriggerInput } from "./generated";

export type * from "./generated";

export type PlanStatus = ConfigPlan["status"];

/** A trigger, an action or a part of one while a form edits it: any field may still be missing. */
export type Draft = { type: string; [field: string]: unknown };
export type MappingDraft = { trigger: TriggerInput; action: ActionInput };

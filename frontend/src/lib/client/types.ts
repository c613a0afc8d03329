/** The parameters and results of commands, and the payloads of events. */
import type { AuthorizationRequestView, ActionInput, ConfigPlan, TriggerInput } from "./generated";

export type * from "./generated";

export type PlanStatus = ConfigPlan["status"];
/** What an agent on another computer may do. */
export type RemoteScope = AuthorizationRequestView["scopes"][number];

/** A trigger, action or part of one that is being edited, so fields may still be missing. */
export type Draft = { type: string; [field: string]: unknown };
export type MappingDraft = { trigger: TriggerInput; action: ActionInput };

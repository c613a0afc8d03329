/** The settings pages and the parameters with which views can be opened. */
import type { ChangeInput, MappingInput } from "../client/types";

/** A change of a mapping that exists, as a plan proposes it. */
export interface PlanEdit {
  change: Extract<ChangeInput, { change_type: "UpdateMapping" }>;
  plan_id: string;
}

/** The pages of the settings, by the id of their tab. */
export type SettingsPage =
  | "general"
  | "io"
  | "voice"
  | "providers"
  | "abilities"
  | "skills"
  | "knowledge"
  | "servers"
  | "agents";

/** The parameters of each view. A view that is not listed has none. */
export interface ViewParams {
  chat:
    | { kind: "conversation"; conversation_id: string | null }
    /** A new chat with a text in the composer; `send` sends the text at once. */
    | { kind: "message"; text: string; send?: boolean };
  controller: { kind: "cheat_sheet" };
  /** The version that was made at a time, if there is one for the reason. */
  history: { kind: "version"; at: string; reason: string | null };
  knowledge:
    | { kind: "chunk"; chunk_id: string }
    | { kind: "document"; source_id: string }
    | { kind: "page"; manual_id: string; page: number }
    | { kind: "search"; query: string };
  mappings:
    /** The mappings of a device. */
    | { kind: "device"; device: string }
    /** A mapping; with `edit`, as the change of a plan would make it, not saved yet. */
    | { kind: "row"; scope: string; index: number; edit?: PlanEdit }
    /**
     * A new mapping in the editor, with an initial action of the kind `action`. Saving it rejects
     * the plan `plan_id`.
     */
    | {
        kind: "draft";
        start: Partial<MappingInput>;
        action?: string;
        scope?: string;
        plan_id?: string;
      };
  /** The dialog that adds a mode. */
  modes: { kind: "new" };
  plans: { kind: "plan"; plan_id: string };
  /** `new`: the dialog that adds a profile. */
  profiles: { kind: "profile"; name: string } | { kind: "new" };
  settings:
    /** A page, and the section on it to scroll to. */
    { kind: "page"; page: SettingsPage; section?: string } | { kind: "search"; text: string };
}

export type ViewWithParams = keyof ViewParams;

/** A view together with its parameters. */
export type Target = { [V in ViewWithParams]: { view: V; params: ViewParams[V] } }[ViewWithParams];

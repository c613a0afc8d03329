/** What the commands take and give, and what the events carry. */

export type PlainTrigger = { type: string; [field: string]: unknown };
export type PlainAction = { type: string; [field: string]: unknown };
export type ControlClass = string;
export type RowBadge = "hold" | "double" | "chord" | "release" | "condition" | "shell" | "while_held" | "repeat" | "sequence" | "off";

export interface ControlRef { device: string | null; channel: number | null; control_class: ControlClass; number: number | string }
export interface RowWords { trigger: string; action: string; badges: RowBadge[]; device: string | null; controls: ControlRef[] }
export interface Mapping { description?: string | null; enabled?: boolean; trigger: PlainTrigger; action: PlainAction }
export interface Row { index: number; mapping: Mapping; words: RowWords }
export interface RowChange { kind: "added" | "removed" | "changed" | "moved"; scope: string; index: number | null; before: Row | null; after: Row | null; text: string }
export interface Mode { name: string; color?: string | null; mappings?: Mapping[] }
export interface ProfileMatch { bundle_id?: string | null; executable?: string | null; title_regex?: string | null }
export interface Profile { name: string; match: ProfileMatch; mode?: string | null; enabled?: boolean; mappings?: Mapping[] }
export type Matcher = { type: string; [field: string]: unknown };
export interface DeviceIdentity { alias: string; matchers: Matcher[]; description?: string | null; enabled?: boolean }
export interface Config { version: number; devices: DeviceIdentity[]; modes: Mode[]; global_mappings: Mapping[]; profiles: Profile[]; settings: Record<string, Record<string, unknown>>; llm: Record<string, unknown>; knowledge: Record<string, unknown>; skills: Record<string, unknown> }
export interface Problem { message: string; [field: string]: unknown }
export interface Overlap { kind: string; severity: "info" | "warning" | "error"; message: string; places: string[]; is_new: boolean }
export interface ConfigView { config: Config; hash: string; path: string; text: string; problems: Problem[]; warnings: string[]; overlaps: Overlap[]; rows: Record<string, RowWords[]>; start_mode: string }
export type Change = { change_type: string; [field: string]: unknown };

export interface Firing { time_ms: number; scope: string; index: number; description: string; action: PlainAction; event: string }
export interface Replay { events: number; seconds: number; unchanged: number; appear: Firing[]; vanish: Firing[]; moved: [Firing, Firing][]; summary: string }
export interface TimelineInput { time_ms: number; device: string; text: string; sequence: number }
export interface TimelineFiring { time_ms: number; scope: string; index: number; text: string; action: PlainAction; source: number | null; change: "same" | "appears" | "vanishes" | "moves" }
export interface Timeline { duration_ms: number; inputs: TimelineInput[]; old: TimelineFiring[]; new: TimelineFiring[]; left_out: number }
export interface Example { name: string; gesture: string; expect: Record<string, unknown>[]; mode: string | null }
export interface ExampleResult { example: Example; passed: boolean; fired: string[]; problem: string | null }
export interface Proof { diff: string; before_after: RowChange[]; overlaps: Overlap[]; warnings: string[]; replay: Replay | null; timeline: Timeline | null; broken_examples: ExampleResult[] }
export interface Requester { caller: string; client: string | null; pid: number | null; executable: string | null }
export type PlanStatus = "pending" | "approved" | "applied" | "rejected" | "expired" | "stale" | "failed";
export interface ConfigPlan { plan_id: string; kind: "config" | "action" | "sysex"; status: PlanStatus; description: string; changes: { change_type: string; mode: string | null; description: string }[]; diff_preview: string; base_state_hash: string; created_at: string; expires_at: string; touched_files: string[]; warnings: string[]; overlaps: Overlap[]; replay: Replay | null; examples: ExampleResult[]; requested_by: Requester; privileged: boolean; approved_by: Requester | null; reason: string | null }
export interface PlanView { plan: ConfigPlan; before_after: RowChange[]; timeline: Timeline | null; changes: Change[] }

export interface DeviceView { device_id: string; port_name: string; kind: "midi_input" | "midi_output" | "gamepad" | "osc" | "virtual"; connected: boolean; enabled: boolean; is_configured: boolean; problem: string | null }
export interface VirtualControl { name: string; label: string; kind: "pad" | "knob" | "fader" | "button"; control_class: ControlClass; number: number; channel: number; row: number; col: number }
export interface FrontApp { executable: string; bundle_id: string; title: string }
export interface FrontView extends FrontApp { supported: boolean; reason: string | null; seen: FrontApp[] }

export interface EventView { kind: string; device: string; channel: number; number: number | string; value: number; time: number; data?: unknown }
export interface CandidateView { mapping: string; scope: string; index: number; trigger: PlainTrigger; action: PlainAction; outcome: "fired" | "waiting" | "no" | "shadowed"; reason: string }
export interface EffectView { kind: "do" | "press" | "release" | "mode" | "variable" | "cancel"; action: PlainAction; mapping: string }
export interface TraceView { sequence: number; event: EventView; mode: string; profile: string | null; outcome: "fired" | "mode" | "waiting" | "unmatched" | "info"; candidates: CandidateView[]; effects: EffectView[]; note: string | null; text: string; count: number }
export interface ExplainStep { title: string; text: string; ok: boolean | null; numbers: Record<string, unknown> }
export interface Suggestion { trigger: PlainTrigger; why: string; confidence: number; words: RowWords }
export interface LearnView { events: EventView[]; suggestions: Suggestion[] }
export interface Version { id: number; made_at: string; reason: string; hash: string; is_current: boolean; summary: string[] }
export interface AuditEntry { id: number; [field: string]: unknown }

export interface StatusTopic { mode: string; profile: string | null; muted: string[]; paused: boolean; engine_running: boolean; held_keys: string[]; modes: string[] }
export interface FailureTopic { mapping: string; scope: string; index: number; action: PlainAction; reason: string; time: number; sequence: number | null }
export interface Hello { version: string; platform: string; demo: boolean; first_run: boolean; home: string; config_path: string; engine_running: boolean; features: { tray: boolean; native: boolean } }

type None = Record<string, never>;

export interface Commands {
  "app.hello": { params: None; result: Hello };
  "app.status": { params: None; result: Record<string, unknown> };
  "app.quit": { params: None; result: None };
  "app.hide": { params: None; result: None };
  "config.get": { params: None; result: ConfigView };
  "config.preview": { params: { changes: Change[]; base_hash?: string | null }; result: Proof };
  "config.commit": { params: { changes: Change[]; base_hash: string; reason: string }; result: { hash: string } };
  "config.undo": { params: None; result: { hash: string; reason: string } };
  "config.redo": { params: None; result: { hash: string; reason: string } };
  "config.describe": { params: { trigger?: PlainTrigger | null; action?: PlainAction | null }; result: RowWords };
  "history.list": { params: { limit?: number; before_id?: number | null }; result: { versions: Version[] } };
  "history.get": { params: { id: number }; result: { text: string; diff: string; before_after: RowChange[] } };
  "history.restore": { params: { id: number }; result: { hash: string } };
  "history.restore_mapping": { params: { id: number; scope: string; index: number }; result: { hash: string } };
  "plans.list": { params: None; result: { plans: ConfigPlan[] } };
  "plans.get": { params: { plan_id: string }; result: PlanView };
  "plans.apply": { params: { plan_id: string }; result: ConfigPlan };
  "plans.reject": { params: { plan_id: string; reason?: string | null }; result: ConfigPlan };
  "examples.list": { params: None; result: { examples: ExampleResult[] } };
  "examples.run": { params: None; result: { examples: ExampleResult[] } };
  "examples.forget": { params: { name: string }; result: None };
  "devices.list": { params: None; result: { devices: DeviceView[]; aliases: DeviceIdentity[]; outputs: string[] } };
  "devices.set_enabled": { params: { device_id: string; enabled: boolean }; result: None };
  "devices.rescan": { params: None; result: None };
  "virtual.layout": { params: None; result: { controls: VirtualControl[] } };
  "virtual.play": { params: { do: "press" | "release" | "turn"; control: string; value?: number | null }; result: None };
  "modes.switch": { params: { mode: string }; result: None };
  "engine.panic": { params: None; result: None };
  "engine.pause": { params: { paused: boolean }; result: None };
  "engine.restart": { params: None; result: None };
  "learn.start": { params: None; result: { timeout_ms: number } };
  "learn.poll": { params: None; result: LearnView };
  "learn.stop": { params: None; result: LearnView };
  "monitor.watch": { params: { on: boolean }; result: None };
  "monitor.recent": { params: { limit?: number }; result: { traces: TraceView[] } };
  "monitor.explain": { params: { sequence: number }; result: { trace: TraceView; steps: ExplainStep[] } };
  "actions.test": { params: { action: PlainAction }; result: None };
  "apps.front": { params: None; result: FrontView };
  "audit.list": { params: { limit?: number; before_id?: number | null; search?: string | null }; result: { entries: AuditEntry[] } };
  "window.prefs": { params: None; result: Record<string, unknown> };
  "window.set_prefs": { params: { patch: Record<string, unknown> }; result: None };
  "shell.open_url": { params: { url: string }; result: None };
  "shell.save_file": { params: { name: string; content: string; encoding?: string }; result: { path: string | null } };
  "shell.save_pdf": { params: { name: string; svg: string }; result: { path: string | null } };
}

export interface Topics {
  hello: { session: string };
  status: StatusTopic;
  trace: TraceView;
  skipped: { count: number };
  failure: FailureTopic;
  devices: { devices: DeviceView[] };
  config: { hash: string };
  problems: { problems: Problem[] };
  plan: ConfigPlan;
  front: FrontApp;
  notice: { text: string; level: "info" | "warning" };
  shell: { do: "show" | "apply-theme" | "navigate"; view?: string | null; theme?: "dark" | "light" | null };
}

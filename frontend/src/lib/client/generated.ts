// Written by `conductor generate` from the bridge's models. Do not edit.

/** Whether and where other agents are served over A2A. */
export interface A2aStatus {
	enabled: boolean;
	/** The address of the agent card while agents are served, or None. */
	card_address: string | null;
	/** Why agents are not served although they should be, and what to do. */
	problem: string | null;
}

export interface Abilities {
	tiers: TierView[];
	skills: AbilityView[];
	/** The paths of the folders whose files the assistant may read. */
	folders: string[];
}

export interface AbilityView {
	skill_id: string;
	tool: string;
	/** The title of the skill, such as the capability "Calculator". */
	title: string;
	/** The title of the tool that belongs to the skill. */
	tool_title: string;
	description: string;
	tier: "core" | "enhanced" | "network" | "integration";
	category: "productivity" | "developer" | "network" | "integrations" | null;
	enabled: boolean;
	/** Which setting decides whether the skill is on: the one for its tier, or one for this skill alone. */
	because: "tier" | "single";
	requires_approval: boolean;
	/** The name of the MCP server that provides the skill, or None for a built-in skill. */
	origin: string | null;
	/** The JSON schema of the arguments that the tool accepts. */
	parameters: Record<string, unknown>;
	/** Why the skill cannot be called although it is on, or None. */
	problem: string | null;
}

export interface AcceptChangeParams {
	server: string;
	tool: string;
	/** The digest of the tool that the user saw, or null for the current version of the tool. */
	digest?: string | null;
}

export type ActionInput = KeystrokeActionInput | TextAction | LaunchActionInput | ShellActionInput | VolumeControlActionInput | ModeChangeActionInput | SendMidiActionInput | MidiForwardActionInput | OscSendActionInput | MouseClickActionInput | MouseMoveActionInput | MouseScrollActionInput | SequenceActionInput | DelayAction | RepeatActionInput | ConditionalActionInput | SetVariableActionInput | LedActionInput | PluginActionInput | PushToTalkAction;

export type Action = KeystrokeAction | TextAction | LaunchAction | ShellAction | VolumeControlAction | ModeChangeAction | SendMidiAction | MidiForwardAction | OscSendAction | MouseClickAction | MouseMoveAction | MouseScrollAction | SequenceAction | DelayAction | RepeatAction | ConditionalAction | SetVariableAction | LedAction | PluginAction | PushToTalkAction;

export interface ActivityEntry {
	id: number;
	at: string;
	caller: string;
	client: string | null;
	pid: number | null;
	executable: string | null;
	tool: string;
	tier: string | null;
	arguments: Record<string, unknown>;
	/** The permission that the call had: `not needed`, `once`, `conversation`, `always` or `mapping`. */
	permission: string | null;
	/** `started`, `ok`, or the error code if the call failed. */
	outcome: string;
	detail: string | null;
	duration_ms: number | null;
}

export interface ActivityExportParams {
	/** A caller, `you` for everything that the user did, with slash commands, or `agents` for all other programs. */
	caller?: string | null;
	/** A text that the name of the tool contains. */
	tool?: string | null;
	/** The outcome: `ok`, `started`, an error code, or `failed` for any error code. */
	outcome?: string | null;
	/** A tier, or `changes` for all tiers that can change something in Conductor. */
	tier?: string | null;
	since?: string | null;
	/** A text that any field contains, in upper or lower case. */
	search?: string | null;
	format: "json" | "csv";
}

export interface ActivityPage {
	entries: ActivityEntry[];
}

export interface ActivityParams {
	/** A caller, `you` for everything that the user did, with slash commands, or `agents` for all other programs. */
	caller?: string | null;
	/** A text that the name of the tool contains. */
	tool?: string | null;
	/** The outcome: `ok`, `started`, an error code, or `failed` for any error code. */
	outcome?: string | null;
	/** A tier, or `changes` for all tiers that can change something in Conductor. */
	tier?: string | null;
	since?: string | null;
	/** A text that any field contains, in upper or lower case. */
	search?: string | null;
	limit?: number;
	before_id?: number | null;
}

export interface AddManualParams {
	upload_id: string;
	/** The name of the file, whose suffix says of which kind it is. */
	name: string;
}

export interface AddProfileParams {
	/** A device profile as TOML or JSON. */
	text: string;
}

export interface AddedManual {
	manual: Manual;
}

export interface AddedProfile {
	profile_id: string;
	source_id: string;
	title: string;
	chunks: number;
}

/** Fires when the pressure enters the range; it must leave by `hysteresis`. */
export interface AftertouchTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "Aftertouch";
	/** Polyphonic pressure of this note. Left out: channel pressure, and that of any note. */
	note?: number | null;
	/** The lowest pressure in the range. */
	pressure_min?: number | null;
	/** The highest pressure in the range. */
	pressure_max?: number | null;
	/** How far the pressure must leave the range before it can fire again. */
	hysteresis?: number;
}

/** Fires when the pressure enters the range; it must leave by `hysteresis`. */
export interface AftertouchTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "Aftertouch";
	/** Polyphonic pressure of this note. Left out: channel pressure, and that of any note. */
	note: number | null;
	/** The lowest pressure in the range. */
	pressure_min: number | null;
	/** The highest pressure in the range. */
	pressure_max: number | null;
	/** How far the pressure must leave the range before it can fire again. */
	hysteresis: number;
}

export interface AllowRequestParams {
	request_id: string;
	/** The code that the browser shows. */
	code: string;
	/** The scopes that the user grants, out of those that were requested. */
	scopes: ("look" | "operate" | "propose" | "hardware" | "skills")[];
}

/** Always true. */
export interface Always {
	type: "Always";
}

/** All of the conditions hold. */
export interface AndInput {
	type: "And";
	/** The conditions; each may be of any kind, also `Or` and `Not`. */
	conditions: ConditionInput[];
}

/** All of the conditions hold. */
export interface And {
	type: "And";
	/** The conditions; each may be of any kind, also `Or` and `Not`. */
	conditions: Condition[];
}

/** A possible answer to a question, and what it means. */
export interface Answer {
	found: string;
	means: string;
	variant: string | null;
}

export type AnyCurveInput = FixedInput | PassThrough | LinearInput | CurveInput;

export type AnyCurve = Fixed | PassThrough | Linear | Curve;

export interface AppChoice {
	name: string;
	/** What a `Launch` action needs to open the app. */
	launch: string;
	/** What an `AppFrontmost` condition compares, or an empty string if it is not known. */
	program: string;
}

/** The app in front has this executable or bundle id, or this text in its title. */
export interface AppFrontmost {
	type: "AppFrontmost";
	/** For example `code`, `com.apple.logic10` or a part of the title; case does not matter. */
	app: string;
}

/** The app that is in the foreground while an example is played. A plain text is taken as the executable. */
export interface AppInFront {
	executable: string;
	bundle_id: string;
	title: string;
}

export interface AppRequestResult {
	/** The result of a request that was forwarded to the MCP server. */
	result: Record<string, unknown>;
}

export interface AppResourceParams {
	server: string;
	uri: string;
}

export interface AppToolCallParams {
	server: string;
	tool: string;
	arguments?: Record<string, unknown>;
}

export interface ApplyPlanParams {
	plan_id: string;
	/** The `base_state_hash` of the plan that the user has seen. Left out: it is not checked. */
	base_hash?: string | null;
}

export interface ApplyPlanPartParams {
	plan_id: string;
	/** The indexes of the changes to apply. */
	selected: number[];
	/** The hash of the config for which the user has seen what the changes do. */
	base_hash: string;
}

export interface ApprovalList {
	/** The tool calls that wait for a decision, oldest first. */
	approvals: ApprovalView[];
}

/** A tool call that needs the user's approval, and the status of this request. */
export interface ApprovalView {
	approval_id: string;
	state: "pending" | "allowed" | "denied" | "expired";
	skill_id: string;
	tool: string;
	title: string;
	description: string;
	/** The access that the tool needs: core, enhanced, network or integration. */
	tier: string;
	/** The MCP server of the tool; None for Conductor's own tools. */
	origin: string | null;
	/** All arguments, exactly as they will be sent. */
	arguments: Record<string, unknown>;
	/** A description of the calls that the decisions `conversation` and `always` would cover. */
	shape: string;
	/** The decisions that the user can choose from; `always` is missing if the tool cannot be identified reliably. */
	choices: ("once" | "conversation" | "always" | "deny" | "never")[];
	requester: string;
	caller: string;
	conversation_id: string | null;
	requested_at: string;
	expires_at: string;
	warnings: string[];
}

export interface AttachFileParams {
	name: string;
	/** The content of the file in base64. */
	content: string;
}

export interface AttachedFile {
	part: TextPart | ImagePart | FilePart | MentionPart;
}

export interface AuthorizationRequestList {
	/** The requests that wait for the user, oldest first. */
	requests: AuthorizationRequestView[];
}

/** An agent on another computer that asks for access, as page and terminal show it. */
export interface AuthorizationRequestView {
	request_id: string;
	state: "pending" | "allowed" | "denied" | "expired";
	/** The name that the agent gives itself, which nobody has verified. */
	client: string;
	/** Where the browser goes after the decision: a host, or the program that opens such addresses. */
	redirect_host: string;
	/** The network address of the browser that made the request. */
	source: string;
	/** The scopes that the agent requests. */
	scopes: ("look" | "operate" | "propose" | "hardware" | "skills")[];
	/** The scopes that this agent already has; empty for an agent without access. Once the request is allowed, those that the user granted. */
	granted: ("look" | "operate" | "propose" | "hardware" | "skills")[];
	requested_at: string;
	expires_at: string;
}

export interface BackupFile {
	name: string;
	content: string;
	/** The number of device profiles in the backup. */
	profiles: number;
}

export interface BackupParams {
	/** The content of a backup file. */
	content: string;
}

/** What restoring a backup would change. */
export interface BackupPreview {
	made_at: string;
	conductor_version: string;
	/** The hash of the running config, which `backup.restore` expects. */
	base_hash: string;
	before_after: RowChange[];
	diff: string;
	/** A warning for each new access right, raised limit, or server that would newly receive chats or keys. */
	warnings: string[];
	/** Notes about a config in an older format. */
	notes: string[];
	profiles: BackupProfile[];
	/** The number of preferences of the window that would change. */
	prefs: number;
}

export interface BackupProfile {
	title: string;
	/** Whether restoring the backup adds the profile, replaces it, or leaves it as it is. */
	state: "new" | "changed" | "same";
}

export interface BeginCodeParams {
	run_id: string;
}

export interface BeginCodeResult {
	/** The code to run. None if another page has accepted the run, or if the run is over. */
	task: CodeTask | null;
}

/** Fires on every value, or when it enters a range. */
export interface CCTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "CC";
	/** The number of the controller. */
	cc: number;
	/** The lowest value in the range. */
	value_min?: number | null;
	/** The highest value in the range. */
	value_max?: number | null;
	/** The direction of a crossing that fires. */
	edge?: "any" | "rising" | "falling";
}

/** Fires on every value, or when it enters a range. */
export interface CCTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "CC";
	/** The number of the controller. */
	cc: number;
	/** The lowest value in the range. */
	value_min: number | null;
	/** The highest value in the range. */
	value_max: number | null;
	/** The direction of a crossing that fires. */
	edge: "any" | "rising" | "falling";
}

/** A tool call whose arguments are still arriving from the model; it is sent only to be displayed. */
export interface CallEvent {
	type: "call";
	conversation_id: string;
	message_id: string;
	index: number;
	call_id: string;
	tool: string;
	/** The next piece of the arguments, as text. */
	text: string;
	/** The number of characters of the arguments before this piece. */
	at: number;
}

/** A mapping that listens to the control of an event, with its outcome and the reason for the outcome. */
export interface CandidateView {
	mapping: string;
	scope: string;
	index: number;
	trigger: TriggerInput;
	action: ActionInput;
	outcome: "fired" | "waiting" | "no" | "shadowed";
	reason: string;
}

/** What a model supports, such as tools and images, and its limits. */
export interface Capabilities {
	tools: boolean;
	streaming: boolean;
	images: boolean;
	thinking: boolean;
	temperature: boolean;
	context_tokens: number;
	output_tokens: number;
	known_from: "settings" | "live" | "table" | "assumed";
}

export interface CaptureStepStart {
	/** The current time on the engine's clock, in seconds. */
	at: number;
}

export type ChangeInput = CreateMappingInput | UpdateMappingInput | DeleteMappingInput | MoveMappingInput | CreateModeInput | UpdateModeInput | DeleteMode | CreateDeviceInput | UpdateDeviceInput | DeleteDevice | CreateProfileInput | UpdateProfileInput | DeleteProfile | UpdateSettings | ReplaceConfigInput;

export type Change = CreateMapping | UpdateMapping | DeleteMapping | MoveMapping | CreateMode | UpdateMode | DeleteMode | CreateDevice | UpdateDevice | DeleteDevice | CreateProfile | UpdateProfile | DeleteProfile | UpdateSettings | ReplaceConfig;

/** The reason why an answer could not be completed, as a text for the user. */
export interface ChatFailure {
	kind: "no_key" | "auth" | "rate_limit" | "overloaded" | "quota" | "network" | "context_overflow" | "model_not_found" | "bad_request" | "refusal" | "budget" | "internal";
	/** A sentence that says what happened and what to do next. Never contains an API key. */
	message: string;
	retry_after_s: number | null;
}

/** A message of the user or a complete answer, as it is stored. */
export interface ChatMessage {
	message_id: string;
	conversation_id: string;
	/** The previous message; messages with the same parent begin different branches. */
	parent_id: string | null;
	role: "user" | "assistant";
	created_at: string;
	parts: (TextPart | ThinkingPart | ToolCallPart | ToolResultPart | ImagePart | FilePart | MentionPart | NotePart | KnowledgePart)[];
	/** `paused`: the step budget is used up, and the user is asked whether to continue. */
	state: "complete" | "streaming" | "stopped" | "failed" | "paused";
	/** The name of the provider in `llm.providers`; None for a message of the user. */
	provider: string | null;
	model: string | null;
	usage: Usage;
	/** The number of tokens in the context of the last request for this answer. */
	context_tokens: number;
	failure: ChatFailure | null;
	/** Whether the message is a summary of all messages before it, which are still stored and shown. */
	summary: boolean;
}

/** An event in a conversation, such as a new message or a piece of an answer. */
export type ChatTopic = MessageEvent | DeltaEvent | CallEvent | PartEvent | ConversationEvent | RemovedEvent | RunEvent;

/** A conversation as the page shows it: the end of one branch, with the status of the answer in progress. */
export interface ChatView {
	conversation: Conversation;
	/** The last messages of the branch, oldest first. */
	messages: ShownMessage[];
	/** Whether the branch has earlier messages, which the page can load. */
	older: boolean;
	run: RunEvent;
}

export interface ChooseBranchParams {
	conversation_id: string;
	limit?: number;
	/** The message to show. The branch then ends with the newest answer below this message. */
	message_id: string;
}

/** A section of a reference document without subsections, which is the unit of search. */
export interface Chunk {
	/** `domain/source#section`, which stays the same while the headings do. */
	id: string;
	domain: "midi" | "osc" | "artnet" | "hid" | "platform" | "device" | "conductor" | "manual";
	/** The id of the document: `midi/control-change`, `device/akai-mpk-mini-mk3`. */
	source: string;
	source_title: string;
	/** The headings above the text, from the title of the document down. */
	section_path: string[];
	content: string;
	revision: string;
	licence: string;
	/** The specification or manual that the facts come from; empty if unknown. */
	reference: string;
	/** Other queries for which the search should find the chunk. */
	ask: string[];
	tokens: number;
	platform: "macos" | "windows" | "linux" | "all" | null;
	/** The id of the device profile from which the chunk was generated. */
	device: string | null;
	layer: "L2" | "L3";
	/** Whether the chunk comes from a device profile or a manual of the user, which nobody has reviewed. */
	own: boolean;
	grade: "two_sources" | "one_source" | null;
	/** The page of the manual of the user that contains the chunk. */
	page: number | null;
}

export interface ChunkParams {
	chunk_id: string;
}

/** A section of a reference text that was sent to the model for an answer. */
export interface CitedChunk {
	/** The number by which the model cites the chunk, as in `[K1]`; unique within the conversation. */
	number: number;
	id: string;
	section_path: string[];
	source: string;
	source_title: string;
	domain: "midi" | "osc" | "artnet" | "hid" | "platform" | "device" | "conductor" | "manual";
	/** How relevant the section is to the user's message, from 0 (not at all) to 1 (certainly). */
	score: number;
	layer: "L2" | "L3";
	grade: "two_sources" | "one_source" | null;
	/** The page of the manual of the user that contains the section. */
	page: number | null;
}

/** The weekday and the minute of the day at which an example is played. */
export interface Clock {
	/** The day of the week; 1 is Monday, 7 is Sunday. */
	weekday: number;
	/** The minute of the day, from 0 to 1439. */
	minute: number;
}

export interface CodeResultParams {
	/** The printed text. */
	output?: string;
	/** The value of the last expression, in the notation of the language, or None. */
	result?: string | null;
	/** The error message, or None. */
	error?: string | null;
	/** Whether the code was stopped at the time limit. */
	timed_out?: boolean;
	duration_ms?: number;
	run_id: string;
}

export interface CodeResultReceipt {
	/** Whether the result was accepted. False if the run is over or belongs to another page. */
	taken: boolean;
}

/** A piece of code to run, as it is sent to the page. */
export interface CodeTask {
	run_id: string;
	language: "python" | "javascript";
	code: string;
	time_limit_ms: number;
	output_limit: number;
}

/** Offers a piece of code to the pages, one of which runs it, or withdraws the offer. */
export interface CodeTopic {
	run_id: string;
	state: "wanted" | "stopped";
}

export interface CommitChangesParams {
	changes: ChangeInput[];
	base_hash: string;
	reason: string;
}

export interface CommitResult {
	hash: string;
}

export type ConditionInput = Always | Never | ModeIs | AppFrontmost | TimeRange | DayOfWeek | ControlHeldInput | VariableIsInput | AndInput | OrInput | NotInput;

export type Condition = Always | Never | ModeIs | AppFrontmost | TimeRange | DayOfWeek | ControlHeld | VariableIs | And | Or | Not;

/** Performs `then` if the condition holds, otherwise `else`. */
export interface ConditionalActionInput {
	type: "Conditional";
	/** The condition, evaluated when the action starts. */
	condition: ConditionInput;
	/** The action if the condition holds. */
	then: ActionInput;
	/** The action if the condition does not hold. Left out: nothing is done. */
	else?: ActionInput | null;
}

/** Performs `then` if the condition holds, otherwise `else`. */
export interface ConditionalAction {
	type: "Conditional";
	/** The condition, evaluated when the action starts. */
	condition: Condition;
	/** The action if the condition holds. */
	then: Action;
	/** The action if the condition does not hold. Left out: nothing is done. */
	else: Action | null;
}

/** The complete content of config.toml. */
export interface ConfigInput {
	/** The version of the config format. */
	version?: number;
	/** The devices that have an alias. */
	devices?: DeviceIdentityInput[];
	/** Sets of mappings; one is active at a time. */
	modes?: ModeInput[];
	/** Mappings that work in every mode; a mode's own mapping for the same control takes precedence. */
	global_mappings?: MappingInput[];
	/** What changes while an app is in front. */
	profiles?: ProfileInput[];
	/** The settings of the engine, the window and MIDI Learn. */
	settings?: SettingsInput;
	/** The models that the chat may call. */
	llm?: LlmSettingsInput;
	/** The reference texts that the chat may use. */
	knowledge?: KnowledgeSettingsInput;
	/** The skills that the chat may use. */
	skills?: SkillsSettingsInput;
}

/** The complete content of config.toml. */
export interface Config {
	/** The version of the config format. */
	version: number;
	/** The devices that have an alias. */
	devices: DeviceIdentity[];
	/** Sets of mappings; one is active at a time. */
	modes: Mode[];
	/** Mappings that work in every mode; a mode's own mapping for the same control takes precedence. */
	global_mappings: Mapping[];
	/** What changes while an app is in front. */
	profiles: Profile[];
	/** The settings of the engine, the window and MIDI Learn. */
	settings: Settings;
	/** The models that the chat may call. */
	llm: LlmSettings;
	/** The reference texts that the chat may use. */
	knowledge: KnowledgeSettings;
	/** The skills that the chat may use. */
	skills: SkillsSettings;
}

/** A proposed change with its proof and status, as the user and agents see it. */
export interface ConfigPlan {
	plan_id: string;
	kind: "config" | "action" | "sysex";
	status: "pending" | "approved" | "applied" | "rejected" | "expired" | "stale" | "failed" | "unknown";
	description: string;
	changes: PlannedChange[];
	/** Proposed changes that the user left out. */
	left_out: PlannedChange[];
	diff_preview: string;
	base_state_hash: string;
	created_at: string;
	/** None: open until something changes that it changes too. */
	expires_at: string | null;
	touched_files: string[];
	warnings: string[];
	overlaps: Overlap[];
	replay: Replay | null;
	/** Everything that the change can affect; everything else is proven unchanged. */
	impact: Impact | null;
	/** How far the change was exercised by recorded input and generated gestures. */
	coverage: Coverage | null;
	examples: ExampleResult[];
	/** Saved examples that pass now and would fail after the change. */
	broken_examples: ExampleResult[];
	requested_by: Requester;
	/** Whether the plan can be approved only in the window or at a terminal. */
	privileged: boolean;
	/** The reasons why a form in an agent's client cannot approve the plan; empty if it can. */
	window_only: string[];
	/** Whether `diff_preview` was too long and had to be truncated. */
	diff_is_cut: boolean;
	/** The digest of the text of the approval form; None if no form was shown. */
	shown_digest: string | null;
	approved_by: Requester | null;
	/** Why the plan was rejected or has failed; None otherwise. */
	reason: string | null;
	/** The hash of the resulting config if the user applied the plan in edited form. */
	result_hash: string | null;
}

export interface ConfigStatus {
	path: string;
	hash: string;
	valid: boolean;
	/** Whether the engine has received this config and runs it. */
	active: boolean;
	problems: string[];
}

/** Reports that a new config is running. */
export interface ConfigTopic {
	hash: string;
}

/** The running config with its problems, warnings and conflicts. */
export interface ConfigView {
	config: Config;
	hash: string;
	path: string;
	text: string;
	/** The errors in the config file on disk, because of which the engine runs an earlier config. */
	problems: Problem[];
	warnings: Problem[];
	overlaps: Overlap[];
	/** The descriptions of the mappings by scope: `mode:<name>`, `profile:<name>` or `global`. */
	rows: Record<string, RowDescription[]>;
	start_mode: string;
}

export interface ConfirmPageParams {
	number: number;
}

/** Another control is held down: a note, a CC at 64 or more, or a gamepad button. */
export interface ControlHeldInput {
	type: "ControlHeld";
	/** The number of a note that must be held. */
	note?: number | null;
	/** The number of a controller that must be at 64 or more, such as 64, the sustain pedal. */
	cc?: number | null;
	/** The name of a gamepad button that must be held. */
	button?: string | null;
	/** The alias of the device. Left out: any device. */
	device?: string | null;
}

/** Another control is held down: a note, a CC at 64 or more, or a gamepad button. */
export interface ControlHeld {
	type: "ControlHeld";
	/** The number of a note that must be held. */
	note: number | null;
	/** The number of a controller that must be at 64 or more, such as 64, the sustain pedal. */
	cc: number | null;
	/** The name of a gamepad button that must be held. */
	button: string | null;
	/** The alias of the device. Left out: any device. */
	device: string | null;
}

/** A control of an event script, and its name on the device. */
export interface ControlLabel {
	/** The class and number of the control, such as `note 36`. */
	control: string;
	/** The name of the control, such as `Pad 1`. */
	name: string;
}

/** A physical control that a mapping listens to. The picture of the device highlights it. */
export interface ControlRef {
	device: string | null;
	channel: number | null;
	control_class: "note" | "cc" | "nrpn" | "rpn" | "poly_pressure" | "channel_pressure" | "pitch_bend" | "program_change" | "sysex" | "button" | "axis" | "gamepad_trigger" | "osc";
	/** The number of the control. `*` stands for any number. */
	number: number | string;
}

/** The device profile that the controller file of another program describes. */
export interface ControllerFileView {
	/** The program for which the file was written. */
	program: string;
	title: string;
	controls: number;
	/** A sentence about each group of controls, with their names and messages. */
	lines: string[];
	/** The controls that the profile lacks, each with the reason in one sentence. */
	not_understood: string[];
	/** The profile as TOML, which `knowledge.add_profile` accepts. */
	toml: string;
}

/** A conversation with its title, model and costs, without its messages. */
export interface Conversation {
	conversation_id: string;
	title: string;
	created_at: string;
	updated_at: string;
	provider: string | null;
	model: string | null;
	/** The last message of the branch that is displayed; None for a new conversation. */
	tip_id: string | null;
	usage: Usage;
	messages: number;
}

/** A conversation was created, or its title, model, tip or costs have changed. */
export interface ConversationEvent {
	type: "conversation";
	conversation: Conversation;
}

export interface ConversationParams {
	conversation_id: string;
}

export interface Conversations {
	conversations: Conversation[];
	/** Whether there are more conversations, which were used before these. */
	older: boolean;
}

/** Matches the unique id that CoreMIDI gives to an endpoint. It exists on macOS only. CoreMIDI keeps it when the device is plugged in again, also at another port. */
export interface CoreMidiUniqueIdInput {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence?: number | null;
	type: "CoreMidiUniqueId";
	/** The id that CoreMIDI assigned to the endpoint. */
	unique_id: number;
}

/** Matches the unique id that CoreMIDI gives to an endpoint. It exists on macOS only. CoreMIDI keeps it when the device is plugged in again, also at another port. */
export interface CoreMidiUniqueId {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence: number | null;
	type: "CoreMidiUniqueId";
	/** The id that CoreMIDI assigned to the endpoint. */
	unique_id: number;
}

/** The usage of one day, provider, model or conversation, with its cost. */
export interface CostLine {
	/** A day as `2026-11-21`, a provider, a model, or the id of a conversation. */
	name: string;
	/** The name for display: the title of a conversation, and `key` for everything else. */
	label: string;
	usage: Usage;
	/** The number of requests whose price is unknown; the cost does not include them. */
	unpriced_requests: number;
}

/** The costs since a given time, grouped in four ways. Days are sorted by date, all other groups by descending cost. */
export interface Costs {
	total: CostLine;
	days: CostLine[];
	providers: CostLine[];
	models: CostLine[];
	conversations: CostLine[];
}

/** A gesture that does something else after the change; the shortest that was found so far. */
export interface Counterexample {
	/** The control that behaves differently, as text for the user. */
	control: string;
	/** The gesture as an event script, such as `mode Live; wait 1000; down 36; wait 500; up 36`. */
	gesture: string;
	/** Conditions that the script does not set, such as variables or the time of day; empty if there are none. */
	circumstances: string;
	/** The names of the controls in the gesture, where they are known. */
	control_names: ControlLabel[];
	/** What the gesture does under the current config. */
	before: string[];
	/** What the gesture does under the new config. */
	after: string[];
}

/** How far recorded input and generated gestures have used a change, and how many gestures differ. */
export interface Coverage {
	/** The mappings that the change adds, removes or alters, with at most 200 entries. */
	changed: MappingCoverage[];
	/** The number of gestures, each played on the old and the new config under the same circumstances. */
	gestures_played: number;
	/** The number of gestures that do something else under the new config. */
	differing: number;
	/** For each control that behaves differently, a gesture that shows this. */
	counterexamples: Counterexample[];
	/** The number of events up to which all gestures were played. */
	depth: number;
	/** False while gestures are being played, and if none are going to be played. */
	finished: boolean;
	/** Whether the limit of time or gestures was reached. */
	cut_short: boolean;
	/** What the gestures do not cover, in phrases for the user. */
	missing: string[];
	/** The progress of playing, from 0.0 to 1.0. */
	progress: number;
	summary: string;
}

/** Assigns an alias to a device. */
export interface CreateDeviceInput {
	change_type: "CreateDevice";
	device: DeviceIdentityInput;
}

/** Assigns an alias to a device. */
export interface CreateDevice {
	change_type: "CreateDevice";
	device: DeviceIdentity;
}

export interface CreateKeyFileParams {
	passphrase?: string;
	/** Whether to replace an existing key file. The old file is renamed, not deleted. */
	replace?: boolean;
}

/** Adds a mapping, at the end or at an index. */
export interface CreateMappingInput {
	/** The mode that contains it. Without `mode` and `profile`: the mappings of all modes. */
	mode?: string | null;
	profile?: string | null;
	change_type: "CreateMapping";
	index?: number | null;
	mapping: MappingInput;
}

/** Adds a mapping, at the end or at an index. */
export interface CreateMapping {
	/** The mode that contains it. Without `mode` and `profile`: the mappings of all modes. */
	mode: string | null;
	profile: string | null;
	change_type: "CreateMapping";
	index: number | null;
	mapping: Mapping;
}

/** Adds a mode, at the end or at an index. */
export interface CreateModeInput {
	change_type: "CreateMode";
	name: string;
	color?: string | null;
	mappings?: MappingInput[];
	index?: number | null;
}

/** Adds a mode, at the end or at an index. */
export interface CreateMode {
	change_type: "CreateMode";
	name: string;
	color: string | null;
	mappings: Mapping[];
	index: number | null;
}

/** Adds a profile for an app. */
export interface CreateProfileInput {
	change_type: "CreateProfile";
	profile: ProfileInput;
}

/** Adds a profile for an app. */
export interface CreateProfile {
	change_type: "CreateProfile";
	profile: Profile;
}

/** Exponential starts slowly, logarithmic fast, s_curve is slow at both ends. */
export interface CurveInput {
	/** The value at or below which the output is `min`. */
	in_min?: number;
	/** The value at or above which the output is `max`. */
	in_max?: number;
	/** The lowest value that the curve gives. */
	min?: number;
	/** The highest value that the curve gives. If it is less than `min`, the control is inverted. */
	max?: number;
	type: "Curve";
	/** The shape of the curve. */
	curve_type?: "exponential" | "logarithmic" | "s_curve";
	/** How strongly the line is curved; 0 is a straight line. */
	intensity?: number;
}

/** Exponential starts slowly, logarithmic fast, s_curve is slow at both ends. */
export interface Curve {
	/** The value at or below which the output is `min`. */
	in_min: number;
	/** The value at or above which the output is `max`. */
	in_max: number;
	/** The lowest value that the curve gives. */
	min: number;
	/** The highest value that the curve gives. If it is less than `min`, the control is inverted. */
	max: number;
	type: "Curve";
	/** The shape of the curve. */
	curve_type: "exponential" | "logarithmic" | "s_curve";
	/** How strongly the line is curved; 0 is a straight line. */
	intensity: number;
}

/** Today is one of these days: 1 is Monday, 7 is Sunday. */
export interface DayOfWeek {
	type: "DayOfWeek";
	/** The days, such as `[1, 2, 3, 4, 5]` for working days. */
	days: number[];
}

export interface DecideApprovalParams {
	approval_id: string;
	decision: "once" | "conversation" | "always" | "deny" | "never";
}

/** Waits, without blocking other mappings. */
export interface DelayAction {
	type: "Delay";
	/** The time to wait, in milliseconds. */
	duration_ms: number;
}

/** Deletes a device's alias. */
export interface DeleteDevice {
	change_type: "DeleteDevice";
	alias: string;
}

/** Deletes a mapping. */
export interface DeleteMappingInput {
	/** The mode that contains it. Without `mode` and `profile`: the mappings of all modes. */
	mode?: string | null;
	profile?: string | null;
	change_type: "DeleteMapping";
	index: number;
}

/** Deletes a mapping. */
export interface DeleteMapping {
	/** The mode that contains it. Without `mode` and `profile`: the mappings of all modes. */
	mode: string | null;
	profile: string | null;
	change_type: "DeleteMapping";
	index: number;
}

/** Deletes a mode with its mappings. */
export interface DeleteMode {
	change_type: "DeleteMode";
	name: string;
}

/** Deletes a profile with its mappings. */
export interface DeleteProfile {
	change_type: "DeleteProfile";
	name: string;
}

/** Text to append to the existing part at `index`. */
export interface DeltaEvent {
	type: "delta";
	conversation_id: string;
	message_id: string;
	index: number;
	text: string;
	/** The length of the part before this text. A client that has just loaded the part can thus skip duplicates. */
	at: number | null;
}

export interface DenyRequestParams {
	request_id: string;
}

export interface DescribeDraftParams {
	trigger?: TriggerInput | null;
	action?: ActionInput | null;
}

export interface DesktopAccess {
	/** How keys reach other programs, or None if there is no way yet. */
	input_route: string | null;
	/** Why an input route that the session offers is not used. */
	input_problem: string | null;
	/** Whether the user allows Conductor to press keys, or None if the system does not ask. */
	input_consent: "allowed" | "asking" | "refused" | "needed" | null;
	/** The state of the extension of the desktop, or None if the session needs none. */
	extension: "active" | "missing" | "not_loaded" | "off" | "failed" | null;
	extension_problem: string;
}

/** The user's name for a device, whatever port it appears on. */
export interface DeviceIdentityInput {
	/** The name that triggers and actions use. */
	alias: string;
	/** How the device is recognised; one match is enough. */
	matchers: MatcherInput[];
	/** A note for yourself about the device. */
	description?: string | null;
	/** False: the device is muted; its events are shown but do nothing. */
	enabled?: boolean;
}

/** The user's name for a device, whatever port it appears on. */
export interface DeviceIdentity {
	/** The name that triggers and actions use. */
	alias: string;
	/** How the device is recognised; one match is enough. */
	matchers: Matcher[];
	/** A note for yourself about the device. */
	description: string | null;
	/** False: the device is muted; its events are shown but do nothing. */
	enabled: boolean;
}

/** All known facts about a controller model. */
export interface DeviceProfile {
	/** The name of the profile's file, without `.toml`. */
	id: string;
	maker: string;
	model: string;
	/** Other names of the device. */
	also: string[];
	kind: "pads" | "keys" | "grid" | "mixer" | "knobs" | "dj" | "foot" | "gamepad" | "drums" | "other";
	summary: string;
	/** The day on which the facts were last checked. */
	revision: string;
	/** The width of the picture in its own units; a pad is about 10 units wide. */
	width: number;
	height: number;
	sources: Source[];
	/** Matchers for the name of the device's port, strict enough not to match the port of another profile. */
	matchers: Matcher[];
	/** The USB vendor and product numbers, which also identify the device. */
	usb: UsbId[];
	/** The variants of the device. The first variant is assumed until events indicate another variant. */
	variants: Variant[];
	lights: Lights[];
	remarks: Remark[];
	questions: Question[];
}

export interface DeviceProfileParams {
	device_id: string;
}

/** A MIDI port or a gamepad, with its current state. */
export interface DeviceView {
	device_id: string;
	port_name: string;
	kind: "midi_input" | "midi_output" | "gamepad" | "osc" | "virtual";
	connected: boolean;
	enabled: boolean;
	is_configured: boolean;
	problem: string | null;
	/** The charge of a gamepad, or None if the device is no gamepad or does not report its charge. */
	battery: "empty" | "low" | "medium" | "full" | "wired" | null;
}

export interface Devices {
	devices: DeviceView[];
	aliases: DeviceIdentity[];
	/** The names of the MIDI outputs to which actions can send. */
	outputs: string[];
}

/** The list of all devices, which is sent whenever a device or its state changes. */
export interface DevicesTopic {
	devices: DeviceView[];
}

export interface DocumentParams {
	source_id: string;
}

/** Fires on the second of two presses that start within `timeout_ms`. */
export interface DoubleTapTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	/** The number of the note. */
	note?: number | null;
	/** The name of a gamepad button, instead of a note. */
	button?: string | null;
	type: "DoubleTap";
	/** The time limit between the two starts, in milliseconds. */
	timeout_ms?: number;
	/** If another control of the device was pressed less than this before, the press is a tap at once, without waiting for this gesture. 0: always wait. */
	require_prior_idle_ms?: number;
	/** While this gesture is undecided, events of the device's other controls wait and follow in order. Off: they act at once. */
	keep_order?: boolean;
}

/** Fires on the second of two presses that start within `timeout_ms`. */
export interface DoubleTapTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	/** The number of the note. */
	note: number | null;
	/** The name of a gamepad button, instead of a note. */
	button: string | null;
	type: "DoubleTap";
	/** The time limit between the two starts, in milliseconds. */
	timeout_ms: number;
	/** If another control of the device was pressed less than this before, the press is a tap at once, without waiting for this gesture. 0: always wait. */
	require_prior_idle_ms: number;
	/** While this gesture is undecided, events of the device's other controls wait and follow in order. Off: they act at once. */
	keep_order: boolean;
}

export interface EditMessageParams {
	message_id: string;
	parts: (TextPartInput | ImagePart | FilePart | MentionPart)[];
}

/** An effect that an event had, such as an action that was performed. */
export interface EffectView {
	kind: "do" | "press" | "release" | "mode" | "variable";
	/** The action, in which the value of the control is filled in. */
	action: ActionInput;
	mapping: string;
	/** A sentence that describes the action. */
	words: string;
}

/** A model without fields, for commands without parameters or without a result. */
export interface Empty {
}

export interface EnabledParams {
	device_id: string;
	enabled: boolean;
}

/** Fires on each step in a direction; `auto` learns the coding from two turns. */
export interface EncoderTurnTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "EncoderTurn";
	/** The number of the controller. */
	cc: number;
	/** The direction of turning that fires. */
	direction?: "clockwise" | "counter_clockwise" | "any";
	/** How the encoder sends a turn. `auto` detects it. */
	encoding?: "auto" | "absolute" | "twos_complement" | "offset_64" | "sign_magnitude";
}

/** Fires on each step in a direction; `auto` learns the coding from two turns. */
export interface EncoderTurnTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "EncoderTurn";
	/** The number of the controller. */
	cc: number;
	/** The direction of turning that fires. */
	direction: "clockwise" | "counter_clockwise" | "any";
	/** How the encoder sends a turn. `auto` detects it. */
	encoding: "auto" | "absolute" | "twos_complement" | "offset_64" | "sign_magnitude";
}

export interface EndSessionParams {
	session_id: string;
}

/** How input is read and how actions are performed. */
export interface EngineSettingsInput {
	/** The key that `cmd` presses. `auto`: Command on macOS, Ctrl elsewhere. */
	cmd_key?: "auto" | "ctrl" | "super" | "alt" | "cmd";
	/** Whether Shell actions may run. Off: they fail with an error. */
	allow_shell?: boolean;
	/** The mode that is active at start. Left out: the first mode. */
	start_mode?: string | null;
	/** Which MIDI inputs are opened: all, or only those with an alias. */
	open_inputs?: "all" | "configured";
	/** A MIDI input of our own that other programs can send to, where the system has such ports. Empty: none. */
	virtual_input?: string;
	/** A MIDI output of our own that other programs can listen to. Empty: none. */
	virtual_output?: string;
	/** The UDP port that OSC is received on. Left out: none. */
	osc_port?: number | null;
	/** The address of this computer on which OSC is received. */
	osc_host?: string;
	/** Whether input of gamepads is received. */
	gamepads?: boolean;
	/** Whether the built-in controller is present. `auto`: if no device is plugged in. */
	virtual_controller?: "auto" | "on" | "off";
	/** The time limit for actions such as Shell, in seconds. */
	action_timeout_s?: number;
	/** How many minutes of input are recorded, for replays. */
	history_minutes?: number;
	/** Whether recorded input is kept on disk, for replays after a restart. */
	keep_recording?: boolean;
}

/** How input is read and how actions are performed. */
export interface EngineSettings {
	/** The key that `cmd` presses. `auto`: Command on macOS, Ctrl elsewhere. */
	cmd_key: "auto" | "ctrl" | "super" | "alt" | "cmd";
	/** Whether Shell actions may run. Off: they fail with an error. */
	allow_shell: boolean;
	/** The mode that is active at start. Left out: the first mode. */
	start_mode: string | null;
	/** Which MIDI inputs are opened: all, or only those with an alias. */
	open_inputs: "all" | "configured";
	/** A MIDI input of our own that other programs can send to, where the system has such ports. Empty: none. */
	virtual_input: string;
	/** A MIDI output of our own that other programs can listen to. Empty: none. */
	virtual_output: string;
	/** The UDP port that OSC is received on. Left out: none. */
	osc_port: number | null;
	/** The address of this computer on which OSC is received. */
	osc_host: string;
	/** Whether input of gamepads is received. */
	gamepads: boolean;
	/** Whether the built-in controller is present. `auto`: if no device is plugged in. */
	virtual_controller: "auto" | "on" | "off";
	/** The time limit for actions such as Shell, in seconds. */
	action_timeout_s: number;
	/** How many minutes of input are recorded, for replays. */
	history_minutes: number;
	/** Whether recorded input is kept on disk, for replays after a restart. */
	keep_recording: boolean;
}

export interface EngineStatus {
	pid: number | null;
	running: boolean;
	restarts: number;
}

/** An input event of a control, with texts that the page displays. */
export interface EventView {
	kind: "note_on" | "note_off" | "cc" | "nrpn" | "rpn" | "poly_pressure" | "channel_pressure" | "pitch_bend" | "program_change" | "sysex" | "button_down" | "button_up" | "axis" | "gamepad_trigger" | "osc" | "device_gone" | "device_back" | "clock" | "transport" | "app" | "completed" | "timer";
	device: string;
	channel: number;
	number: number | string;
	value: number;
	/** The time of the event in seconds on the engine's clock. */
	time: number;
	/** The data of the event: SysEx bytes in hex, OSC arguments, or the foreground app. */
	data: unknown;
	/** The user's name of the control, or the one that is printed on it, such as `Pad 6`, if it is known. */
	control: string | null;
	/** The name printed on the control, if `control` is the user's. */
	printed: string | null;
}

/** Matches if the port has exactly this name. */
export interface ExactNameInput {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence?: number | null;
	type: "ExactName";
	/** The complete name of the port. */
	pattern: string;
}

/** Matches if the port has exactly this name. */
export interface ExactName {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence: number | null;
	type: "ExactName";
	/** The complete name of the port. */
	pattern: string;
}

/** A gesture and the actions that it must cause. */
export interface Example {
	name: string;
	/** An event script, such as `down 36; wait 600; up 36`. */
	gesture: string;
	/** The expected actions, in order; empty: nothing may fire. */
	expect: ExpectedAction[];
	/** The expected single effects, in order, such as the parts of a Sequence or the chosen branch of a Conditional. Left out: not compared. */
	effects: ExpectedAction[] | null;
	/** The mode in which the gesture is played. Left out: the start mode. */
	mode: string | null;
	/** The device of events that name none. Left out: the device of the mapping. */
	device: string | null;
	/** The channel of events that name none. Left out: the channel of the mapping. */
	channel: number | null;
	/** The variables that are set before the gesture is played. */
	variables: Record<string, boolean | number | string>;
	/** The app in front. Left out: every app for which the example passes when it is saved. */
	app: AppInFront | null;
	/** The local time. Left out: every time at which the example passes when it is saved. */
	clock: Clock | null;
	/** True for a saved example: the fields below were recorded then, and nothing is assumed. */
	pinned: boolean;
	/** Whether the mode of the example was the start mode when it was saved. */
	from_start: boolean;
	/** The controls of the gesture that are on another device or channel than `device` and `channel`. */
	controls: PlayedControl[];
	devices: PinnedDevice[];
	/** The apps in which the example did not pass when it was saved. */
	not_in_apps: AppInFront[];
	/** The times at which the example passed when it was saved. */
	times: TimeSpan[];
	/** The effects that the gesture had when the example was saved. */
	done: ObservedEffect[] | null;
	done_tolerance_ms: number;
	/** The mode that was active after the gesture, if it was another one than before. */
	ends_in: string | null;
}

export interface ExampleList {
	/** The saved examples, each with its result under the running config. */
	examples: ExampleResult[];
}

/** The result of playing an example in the simulator: whether it passed, and what happened. */
export interface ExampleResult {
	example: Example;
	passed: boolean;
	/** The actions that fired, as text for the user. */
	fired: string[];
	problem: string | null;
}

export interface ExampleRun {
	results: ExampleResult[];
	passed: number;
	failed: number;
}

/** An action that an example expects to be performed. Omitted fields are not compared. */
export interface ExpectedAction {
	type: string;
	/** When the action fires, within the tolerance. Left out: measured when the example is saved. */
	at_ms: number | null;
	/** The tolerance of the time. Left out: 20 ms. */
	tolerance_ms: number | null;
	/** Whether the action may fire at any time, even after the example is saved. */
	any_time: boolean;
	/** Fields of the action, such as `keys`, that must be equal: as configured, or as the numbers that the control gives for this gesture. */
	fields: Record<string, unknown>;
}

export interface ExplainTraceParams {
	/** The sequence number of the event, or null for the last event. */
	sequence?: number | null;
}

export interface ExplainedTrace {
	trace: TraceView;
	steps: Step[];
	explanation: Explanation;
}

/** The explanation of a whole gesture, from its first press to its end. */
export interface Explanation {
	outcome: "acted" | "running" | "no_effect" | "failed" | "undecided" | "not_fired" | "unmapped" | "info";
	/** A sentence that summarizes what happened and why. */
	verdict: string;
	/** The mappings that fired. */
	fired: FiredMapping[];
	/** Why mappings did not fire, the most relevant first; at most three if nothing fired. */
	reasons: WhyNot[];
	/** What to do so that the most relevant mapping fires; None if one has fired, or if there is no advice. */
	what_would_change: string | null;
	timeline: GestureMoment[];
}

export interface ExportConversationParams {
	conversation_id: string;
	form: "markdown" | "json";
}

export interface ExportedActivity {
	name: string;
	content: string;
	entries: number;
	/** How many older entries are missing, because the file would be too large. */
	left_out: number;
}

export interface ExportedConversation {
	text: string;
}

export interface ExtensionInstalled {
	/** What the user must still do. */
	text: string;
}

/** The failure of an action, with the mapping and the reason. */
export interface FailureTopic {
	mapping: string;
	scope: string;
	index: number;
	trigger: TriggerInput;
	action: ActionInput;
	reason: string;
	time: number;
	/** The sequence number of the trace that the failure belongs to. The trace may arrive later. */
	sequence: number;
}

export interface Features {
	tray: boolean;
	/** Whether the window can save files and open links. False in a browser, which does both itself. */
	native: boolean;
}

/** Where to fetch a skill from. Exactly one of `source` and `archive` is set. */
export interface FetchSkillParams {
	/** The source of the skill: a folder, an archive, or `github:owner/repository/path`. */
	source?: string | null;
	archive_name?: string;
	/** The content of an archive in base64. */
	archive?: string | null;
}

/** A skill that was fetched and validated, but not installed. */
export interface FetchedSkill {
	name: string;
	description: string;
	source: string;
	digest: string;
	text: string;
	files: SkillFile[];
	/** Recommendations for the author of the skill. */
	advice: string[];
	/** Whether installing the skill would replace an installed skill of the same name. */
	replaces: boolean;
}

/** A file that the user has attached, converted to text; a MIDI file becomes a list of events. */
export interface FilePart {
	type: "file";
	name: string;
	kind: "config" | "midi" | "text";
	text: string;
}

/** A mapping that fired, and the result of its action. */
export interface FiredMapping {
	/** The description of the mapping or, if it has none, its place. */
	mapping: string;
	scope: string;
	index: number;
	outcome: "acted" | "running" | "no_effect" | "failed" | "undecided" | "not_fired" | "unmapped" | "info";
	/** What the action did, what failed, or why there was nothing to do, as a sentence. */
	text: string;
}

/** A mapping that fires during a replay, with its action. */
export interface Firing {
	/** Milliseconds since the start of the replay. */
	time_ms: number;
	scope: string;
	index: number;
	description: string;
	action: Record<string, unknown>;
	/** The event that caused the firing, as text for the user. */
	event: string;
}

/** Always the same value. */
export interface FixedInput {
	type: "Fixed";
	/** The value from 0 to 127. */
	value?: number;
}

/** Always the same value. */
export interface Fixed {
	type: "Fixed";
	/** The value from 0 to 127. */
	value: number;
}

export interface FolderAccessParams {
	path: string;
	granted: boolean;
}

export interface ForegroundApps {
	executable: string;
	bundle_id: string;
	title: string;
	supported: boolean;
	/** Why the foreground app cannot be detected, or None if it can. */
	reason: string | null;
	/** The apps that were recently in the foreground, newest first. */
	seen: FrontApp[];
}

export interface ForgetExampleParams {
	name: string;
}

/** The value of the control that fires, at that moment; works the same in every action. */
export interface FromControlInput {
	/** `value`: its position or velocity. `steps`: the signed steps of an encoder. */
	from: "value" | "steps";
	/** The result for the lowest position, in the unit of the field. Left out: the field's lowest value. */
	min?: number | null;
	/** The result for the highest position. Left out: 127 for MIDI, variables, the mouse and tools, 100 for percent, 1.0 for OSC. */
	max?: number | null;
	/** True: the lowest position gives `max`, and `steps` count backwards. */
	invert?: boolean;
	/** The curve between the two ends. `steps` ignore curve, `min` and `max`. */
	curve?: AnyCurveInput;
	/** Digits after the decimal point, for OSC, variables and tools. Left out: none, or 3 if `min` and `max` are less than 2 apart; 4 for OSC. */
	decimals?: number | null;
}

/** The value of the control that fires, at that moment; works the same in every action. */
export interface FromControl {
	/** `value`: its position or velocity. `steps`: the signed steps of an encoder. */
	from: "value" | "steps";
	/** The result for the lowest position, in the unit of the field. Left out: the field's lowest value. */
	min: number | null;
	/** The result for the highest position. Left out: 127 for MIDI, variables, the mouse and tools, 100 for percent, 1.0 for OSC. */
	max: number | null;
	/** True: the lowest position gives `max`, and `steps` count backwards. */
	invert: boolean;
	/** The curve between the two ends. `steps` ignore curve, `min` and `max`. */
	curve: AnyCurve;
	/** Digits after the decimal point, for OSC, variables and tools. Left out: none, or 3 if `min` and `max` are less than 2 apart; 4 for OSC. */
	decimals: number | null;
}

/** The app in the foreground. Properties that are not known are empty. */
export interface FrontApp {
	executable: string;
	bundle_id: string;
	title: string;
}

/** Fires when a stick is pushed past `threshold`, not on its return. */
export interface GamepadAnalogStickTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "GamepadAnalogStick";
	/** The axis: left_x, left_y, right_x or right_y. */
	axis: string;
	/** Positive is right or up, negative is left or down; those words are accepted too. */
	direction?: "positive" | "negative" | "any";
	/** How far, 0.0 to 1.0; 0 fires on every move outside the dead zone. */
	threshold?: number;
	/** Positions this close to the centre count as the centre. */
	dead_zone?: number;
}

/** Fires when a stick is pushed past `threshold`, not on its return. */
export interface GamepadAnalogStickTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "GamepadAnalogStick";
	/** The axis: left_x, left_y, right_x or right_y. */
	axis: string;
	/** Positive is right or up, negative is left or down; those words are accepted too. */
	direction: "positive" | "negative" | "any";
	/** How far, 0.0 to 1.0; 0 fires on every move outside the dead zone. */
	threshold: number;
	/** Positions this close to the centre count as the centre. */
	dead_zone: number;
}

/** Fires when all its buttons are pressed within `timeout_ms`; it then consumes them. */
export interface GamepadButtonChordTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "GamepadButtonChord";
	/** The names of two to ten buttons. */
	buttons: string[];
	/** The greatest time between the first and the last press. */
	timeout_ms?: number;
	/** Fires with its last button instead of at the end of the time, unless a longer chord could still come. */
	fire_when_complete?: boolean;
	/** If another control of the device was pressed less than this before, the press is a tap at once, without waiting for this gesture. 0: always wait. */
	require_prior_idle_ms?: number;
	/** While this gesture is undecided, events of the device's other controls wait and follow in order. Off: they act at once. */
	keep_order?: boolean;
}

/** Fires when all its buttons are pressed within `timeout_ms`; it then consumes them. */
export interface GamepadButtonChordTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "GamepadButtonChord";
	/** The names of two to ten buttons. */
	buttons: string[];
	/** The greatest time between the first and the last press. */
	timeout_ms: number;
	/** Fires with its last button instead of at the end of the time, unless a longer chord could still come. */
	fire_when_complete: boolean;
	/** If another control of the device was pressed less than this before, the press is a tap at once, without waiting for this gesture. 0: always wait. */
	require_prior_idle_ms: number;
	/** While this gesture is undecided, events of the device's other controls wait and follow in order. Off: they act at once. */
	keep_order: boolean;
}

/** Fires when a gamepad button is pressed. Buttons are named by position: `south` is A or Cross. */
export interface GamepadButtonTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "GamepadButton";
	/** The position: south, east, west, north, l1, r1, dpad_up and so on. */
	button: string;
}

/** Fires when a gamepad button is pressed. Buttons are named by position: `south` is A or Cross. */
export interface GamepadButtonTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "GamepadButton";
	/** The position: south, east, west, north, l1, r1, dpad_up and so on. */
	button: string;
}

/** Fires when a trigger is pulled past `threshold`; it must come back by `hysteresis`. */
export interface GamepadTriggerTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "GamepadTrigger";
	/** Which analog trigger: the left or the right one. */
	trigger: "left" | "right";
	/** How far, 0.0 to 1.0; 0 fires on every move. Numbers over 1 are read as 0-127. */
	threshold?: number;
	/** How far the trigger must return below the threshold before it can fire again. */
	hysteresis?: number;
}

/** Fires when a trigger is pulled past `threshold`; it must come back by `hysteresis`. */
export interface GamepadTriggerTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "GamepadTrigger";
	/** Which analog trigger: the left or the right one. */
	trigger: "left" | "right";
	/** How far, 0.0 to 1.0; 0 fires on every move. Numbers over 1 are read as 0-127. */
	threshold: number;
	/** How far the trigger must return below the threshold before it can fire again. */
	hysteresis: number;
}

/** An event or an expired time limit during a gesture, with what it decided. */
export interface GestureMoment {
	sequence: number;
	/** Milliseconds since the start of the gesture. */
	time_ms: number;
	text: string;
	decisions: string[];
}

export interface GetVersionParams {
	id: number;
	/** The version to compare it with. Null: the running config. */
	with_id?: number | null;
}

export interface GrantList {
	/** The saved grants, newest first. */
	grants: GrantView[];
}

/** An answer of the user that was saved and applies to later calls. */
export interface GrantView {
	grant_id: string;
	skill_id: string;
	tool: string;
	title: string;
	origin: string | null;
	verdict: "allow" | "never";
	scope: "conversation" | "always";
	/** A description of the calls that the answer covers. */
	shape: string;
	/** A description of the callers whose calls the answer covers. */
	requester: string;
	conversation_id: string | null;
	created_at: string;
	last_used_at: string | null;
	uses: number;
}

/** A block of identical controls, arranged in rows and columns. */
export interface Group {
	grade: "two_sources" | "one_source";
	/** The ids of the entries in the profile's `sources` that state the fact. */
	sources: string[];
	id: string;
	role: "pad" | "key" | "knob" | "encoder" | "fader" | "button" | "transport" | "pedal" | "strip" | "stick" | "jog" | "trigger";
	/** The name of a control, with `{n}` for its number in the group, counted from 1. */
	name: string;
	message: "note" | "cc" | "pitch_bend" | "program_change" | "channel_pressure" | "nrpn" | "button" | "axis" | "gamepad_trigger";
	/** The numbers of the controls in reading order: top left first, row by row. `"36-51"` stands for a run, `"37-51/2"` for every second number of a run. The controls of a gamepad have names instead; pitch bend and pressure have the number 0. */
	numbers: (number | string)[];
	channel: number | null;
	/** The channel of each control, if they differ (faders of a Mackie Control). */
	channels: number[];
	columns: number;
	/** The bank or layer that must be selected for these numbers. */
	bank: string | null;
	/** Whether the device counts rows from the bottom: control 1 is at the bottom left. */
	rows_from_bottom: boolean;
	/** The coding of a turn or move. Left out: unknown, or not an encoder. */
	encoding: "absolute" | "twos_complement" | "offset_64" | "sign_magnitude" | "sign_magnitude_reversed" | null;
	release: "note_off" | "note_off_64" | "note_on_0" | "value_0" | "toggle" | null;
	/** The position of the group in the picture. Left out: not drawn, because it is another bank of the same controls. */
	place: PictureArea | null;
	/** Further information about the group. */
	note: string | null;
}

export interface Hello {
	version: string;
	platform: string;
	demo: boolean;
	/** Whether to show the first steps: there are no mappings yet, and the user has not dismissed them. */
	first_run: boolean;
	home: string;
	config_path: string;
	engine_running: boolean;
	features: Features;
}

/** The first message that a page receives on a connection, before any event. */
export interface HelloTopic {
	/** The token with which the page can reconnect. It is sent only once. */
	session: string;
}

export interface HistoryStepResult {
	hash: string;
	/** The description of the change that was undone or redone. */
	reason: string;
}

export interface ImagePart {
	type: "image";
	name: string;
	media_type: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
	/** The image data, encoded as Base64. */
	data: string;
}

/** An upper bound of what a change can affect, for any events after a common start, if apps, clock and programs behave the same and fewer than 256 actions run at a time. */
export interface Impact {
	controls: ImpactedControl[];
	/** The modes that may become active or inactive at other times than before. */
	modes: string[];
	/** The variables that may have other values than before. */
	variables: string[];
	/** The outputs that may change: `keys cmd+c`, `MIDI to synth`, `the volume`. */
	targets: string[];
	/** What changes besides mappings, as text for the user. */
	settings: string[];
	/** The removed modes. A removed mode that is active when the change is made is replaced by the start mode. */
	removed_modes: string[];
	/** Modes, devices and profiles that were only renamed. */
	renames: Renames;
	/** The impact in one line. */
	summary: string;
}

/** A control, or a pattern of controls, that may behave differently after the change. */
export interface ImpactedControl {
	/** The device's alias. `raw:*`: every device without an alias. Left out: any device. */
	device: string | null;
	/** The MIDI channel. Left out: any channel. */
	channel: number | null;
	/** The class of the control. */
	control_class: "note" | "cc" | "nrpn" | "rpn" | "poly_pressure" | "channel_pressure" | "pitch_bend" | "program_change" | "sysex" | "button" | "axis" | "gamepad_trigger" | "osc";
	/** The number or name of the control. `*`: any control of the class. */
	number: number | string;
	/** The name that is printed on the control, such as `Pad 6`. Left out: unknown. */
	name: string | null;
	/** The modes in which the control may behave differently. Left out: every mode. */
	modes: string[] | null;
	/** The profile in which the control may behave differently. Left out: with any app in front. */
	profile: string | null;
	/** How the change affects the control. */
	why: string;
}

/** The result of importing MCP servers from another program. */
export interface ImportResult {
	names: string[];
	/** Where secrets were stored, and what the user must fill in. */
	notes: string[];
}

/** The settings of another program, with the MCP servers in them. */
export interface ImportSource {
	/** The program: `claude-code`, `claude-desktop`, `cursor`, `vscode`, `gemini`, `windsurf` or `codex`. */
	client: string;
	title: string;
	path: string;
	servers: ImportableServer[];
	/** Why the settings cannot be read; None if they can. */
	problem: string | null;
}

/** An MCP server that is listed in the settings of another program and can be imported. */
export interface ImportableServer {
	name: string;
	/** The entry as it would be imported; the values of `env` and `headers` are hidden. */
	entry: Record<string, unknown>;
	/** Whether `mcp.json` already has a server with this name. */
	exists: boolean;
	/** Whether the server with this name in `mcp.json` is identical. */
	same: boolean;
	/** What is not imported, and what the user must fill in. */
	notes: string[];
}

export interface ImportableServers {
	sources: ImportSource[];
}

/** The state of the knowledge index after it was built again, with the numbers of all vectors and of reused ones. */
export interface IndexUpdate {
	status: KnowledgeStatus;
	vectors: number;
	reused: number;
	warnings: string[];
}

export interface InferProfileParams {
	/** The maker and model of the device. If empty, the name of the port is used. */
	name?: string;
	/** The id of the device. If empty, the device with the most events is used. */
	device_id?: string;
	steps?: PlayedCaptureStep[];
	/** The number of columns of each group, by the id of the group, to correct a wrong guess. */
	rows?: Record<string, number>;
}

/** The device profile that was inferred from the captured events, if there are enough of them. */
export interface InferredProfile {
	events: number;
	device_id: string;
	profile: DeviceProfile | null;
	/** The profile as TOML, which `devices.keep_profile` accepts. */
	toml: string;
	/** The names of the controls that the user should turn to the right, because their coding does not tell which way is clockwise. */
	uncertain_turns: string[];
}

export interface InstallSkillParams {
	/** The source of the skill: a folder, an archive, or `github:owner/repository/path`. */
	source?: string | null;
	archive_name?: string;
	/** The content of an archive in base64. */
	archive?: string | null;
	/** The digest of the skill that the user reviewed. Any other content is refused. */
	digest: string;
}

export interface InstalledApps {
	apps: AppChoice[];
}

/** Describes where keys are stored on this computer, and whether they can be read now. */
export interface KeysState {
	place: "keychain" | "file" | "environment";
	locked: boolean;
	/** A sentence for the user that says where keys are and what to do next. */
	words: string;
	/** The condition of the system keychain; `broken` means that it exists but does not work. */
	keychain: "open" | "locked" | "broken" | "absent";
	/** The path of the encrypted file, whether it exists or not. */
	file: string;
	file_exists: boolean;
}

/** Presses keys together, such as `["cmd", "c"]`, and releases them. */
export interface KeystrokeActionInput {
	type: "Keystroke";
	/** The keys to press. `cmd` is Command on macOS and Ctrl elsewhere. */
	keys: string[];
	/** `while_held`: the keys are down as long as the control is held. */
	hold?: "tap" | "while_held";
}

/** Presses keys together, such as `["cmd", "c"]`, and releases them. */
export interface KeystrokeAction {
	type: "Keystroke";
	/** The keys to press. `cmd` is Command on macOS and Ctrl elsewhere. */
	keys: string[];
	/** `while_held`: the keys are down as long as the control is held. */
	hold: "tap" | "while_held";
}

/** A document of the knowledge base with all its sections, in the order of the document. */
export interface KnowledgeDocument {
	source: KnowledgeSource;
	chunks: Chunk[];
}

/** The sections of reference texts that were retrieved for an answer; their texts are not stored here. */
export interface KnowledgePart {
	type: "knowledge";
	chunks: CitedChunk[];
	tokens: number;
	/** The reason why nothing could be retrieved; empty if retrieval worked. */
	problem: string;
}

/** Changes the search for the models of a kind of provider, because models differ in what they know. */
export interface KnowledgeProviderInput {
	/** The lowest probability at which texts are added to a message, because they may help: 0 is always, 1 is never. Left out: 0.35, or 0.25 for `litellm` and `custom`; with a technical term, 0.15 or 0.1 is enough. */
	relevance_threshold?: number | null;
	/** The most texts that a message gets. Left out: 5, or 7 for `litellm` and `custom`. 0: none. */
	max_chunks?: number | null;
	/** The most tokens of texts that a message gets. Left out: 1,500. */
	max_tokens?: number | null;
	/** Factors of texts by the beginning of their ids, such as `osc` or `midi/midi1-sysex`. They replace the built-in ones. */
	boosts?: Record<string, number> | null;
}

/** Changes the search for the models of a kind of provider, because models differ in what they know. */
export interface KnowledgeProvider {
	/** The lowest probability at which texts are added to a message, because they may help: 0 is always, 1 is never. Left out: 0.35, or 0.25 for `litellm` and `custom`; with a technical term, 0.15 or 0.1 is enough. */
	relevance_threshold: number | null;
	/** The most texts that a message gets. Left out: 5, or 7 for `litellm` and `custom`. 0: none. */
	max_chunks: number | null;
	/** The most tokens of texts that a message gets. Left out: 1,500. */
	max_tokens: number | null;
	/** Factors of texts by the beginning of their ids, such as `osc` or `midi/midi1-sysex`. They replace the built-in ones. */
	boosts: Record<string, number> | null;
}

export interface KnowledgeSettingsInput {
	/** Whether the reference texts may be searched. */
	enabled?: boolean;
	/** Whether texts by other users are searched too. Also needs the address of a Hub. */
	community?: boolean;
	/** The address of the Conductor Hub that has them, such as `https://hub.example.org`. Empty: nothing is sent. */
	hub?: string;
	/** The vector search. `auto`: chromadb once it is ready, in its own process. `exact`: every vector is compared, and chromadb is never started. */
	store?: "auto" | "exact";
	/** The names of sources that are not searched. */
	disabled_sources?: string[];
	/** Changes of the search, by kind of provider. */
	providers?: Record<string, KnowledgeProviderInput>;
}

export interface KnowledgeSettings {
	/** Whether the reference texts may be searched. */
	enabled: boolean;
	/** Whether texts by other users are searched too. Also needs the address of a Hub. */
	community: boolean;
	/** The address of the Conductor Hub that has them, such as `https://hub.example.org`. Empty: nothing is sent. */
	hub: string;
	/** The vector search. `auto`: chromadb once it is ready, in its own process. `exact`: every vector is compared, and chromadb is never started. */
	store: "auto" | "exact";
	/** The names of sources that are not searched. */
	disabled_sources: string[];
	/** Changes of the search, by kind of provider. */
	providers: Record<string, KnowledgeProvider>;
}

/** A document or a device profile of the knowledge base. */
export interface KnowledgeSource {
	id: string;
	title: string;
	domain: "midi" | "osc" | "artnet" | "hid" | "platform" | "device" | "conductor" | "manual";
	platform: "macos" | "windows" | "linux" | "all" | null;
	chunks: number;
	enabled: boolean;
	revision: string;
	licence: string;
	reference: string;
	/** Whether the source is a device profile or a manual of the user. */
	own: boolean;
}

/** The state of the knowledge index. */
export interface KnowledgeStatus {
	built: boolean;
	chunks: number;
	domains: Record<string, number>;
	/** The size of index and model on disk in bytes. */
	size_bytes: number;
	built_at: string;
	fingerprint: string;
	/** Whether the search compares meanings; otherwise it compares only words. */
	model: boolean;
	/** How vectors are searched: `exact` compares all of them, `chroma` uses chromadb. */
	store: "exact" | "chroma";
	/** The reason for which this kind of vector search is used. */
	store_reason: string;
	/** Whether the Hub is used, and how the last request to it ended. */
	community: string;
	/** What is wrong and what to do; empty if there is no problem. */
	problem: string;
}

/** The progress of building the knowledge index; the last event is sent when the index is complete. */
export interface KnowledgeTopic {
	updating: boolean;
	step: string;
	done: number;
	of: number;
}

export interface KnowledgeView {
	status: KnowledgeStatus;
	updating: boolean;
	/** Whether the chat searches the knowledge base for each message. */
	enabled: boolean;
	/** Whether the chat also fetches texts of other users from a hub. */
	community: boolean;
	/** The address of the hub, or an empty string if none is set. */
	hub: string;
}

/** What the user must enter to add a known server. */
export interface KnownField {
	name: string;
	label: string;
	kind: "text" | "secret" | "folder" | "folders" | "file" | "address";
	help: string;
	default: string;
	required: boolean;
}

/** A server of others that the user can add without knowing its entry. */
export interface KnownServer {
	/** The name of the server in `mcp.json`, if the user chooses no other. */
	id: string;
	title: string;
	group: "computer" | "studio" | "home" | "work";
	summary: string;
	/** The address of the documentation that the entry follows. */
	source: string;
	/** The program that must be installed to run the server; None for a server on the internet. */
	program: string | null;
	program_found: boolean;
	/** Where to get the program. */
	program_address: string | null;
	/** What the user must do before adding the server; empty if nothing. */
	prepare: string;
	/** Whether the user signs in with the browser after adding the server. */
	signs_in: boolean;
	fields: KnownField[];
}

export interface KnownServerParams {
	/** The id of the known server. */
	id: string;
	/** The name of the new server, or empty for the id. */
	name?: string;
	/** What the user has entered, by the names of the fields. */
	values?: Record<string, string>;
}

export interface KnownServers {
	servers: KnownServer[];
}

/** Opens an app, file or link; with `args` it counts as Shell. */
export interface LaunchActionInput {
	type: "Launch";
	/** The app by its name or path, the file or the link. An interpreter such as `bash` counts as Shell. */
	app: string;
	/** Arguments for the app, one text each. They need `settings.engine.allow_shell`, as Shell does. */
	args?: string[];
}

/** Opens an app, file or link; with `args` it counts as Shell. */
export interface LaunchAction {
	type: "Launch";
	/** The app by its name or path, the file or the link. An interpreter such as `bash` counts as Shell. */
	app: string;
	/** Arguments for the app, one text each. They need `settings.engine.allow_shell`, as Shell does. */
	args: string[];
}

export interface LearnEvent {
	kind: string;
	device: string;
	channel: number;
	number: number | string;
	value: number;
	/** The time of the event in seconds since MIDI Learn was started. */
	time: number;
	text: string;
}

export interface LearnResult {
	/** The latest events that were recorded, at most 200. */
	events: LearnEvent[];
	suggestions: LearnSuggestion[];
}

export interface LearnSession {
	session_id: string;
	timeout_ms: number;
}

/** Settings of MIDI Learn. */
export interface LearnSettingsInput {
	/** How long MIDI Learn listens, in milliseconds. */
	timeout_ms?: number;
	/** A press held this long is suggested as a long press. */
	long_press_ms?: number;
	/** Two presses within this time are suggested as a double tap. */
	double_tap_ms?: number;
	/** Notes that start within this time are suggested as a chord. */
	chord_ms?: number;
}

/** Settings of MIDI Learn. */
export interface LearnSettings {
	/** How long MIDI Learn listens, in milliseconds. */
	timeout_ms: number;
	/** A press held this long is suggested as a long press. */
	long_press_ms: number;
	/** Two presses within this time are suggested as a double tap. */
	double_tap_ms: number;
	/** Notes that start within this time are suggested as a chord. */
	chord_ms: number;
}

export interface LearnSuggestion {
	trigger: TriggerInput;
	why: string;
	/** How well the trigger fits, from 0.0 to 1.0. The list is sorted by it, best first. */
	confidence: number;
	words: RowDescription;
}

/** Lights a control (`note 36`, `cc 102`, or 36): off, on, white, red, orange, amber, yellow, green, cyan, azure, blue, purple, magenta, pink, also `red blinking` or `red pulsing`. What the device cannot show is refused. */
export interface LedActionInput {
	type: "Led";
	/** The alias of the device, or a part of its output's name. */
	device: string;
	/** The message that the control itself sends: `note 36` or `cc 102`; a bare number is a note. */
	control: string;
	/** Off, on, white, red, orange, amber, yellow, green, cyan, azure, blue, purple, magenta or pink, also with low, blinking or pulsing, as in `red blinking`; or the device's own number 0-127. */
	color?: string | number;
	/** The MIDI channel on which the control sends. Left out: any. */
	channel?: number | null;
	/** Whether to send first the messages that prepare the device, such as Programmer mode. */
	set_up?: boolean;
}

/** Lights a control (`note 36`, `cc 102`, or 36): off, on, white, red, orange, amber, yellow, green, cyan, azure, blue, purple, magenta, pink, also `red blinking` or `red pulsing`. What the device cannot show is refused. */
export interface LedAction {
	type: "Led";
	/** The alias of the device, or a part of its output's name. */
	device: string;
	/** The message that the control itself sends: `note 36` or `cc 102`; a bare number is a note. */
	control: string;
	/** Off, on, white, red, orange, amber, yellow, green, cyan, azure, blue, purple, magenta or pink, also with low, blinking or pulsing, as in `red blinking`; or the device's own number 0-127. */
	color: string | number;
	/** The MIDI channel on which the control sends. Left out: any. */
	channel: number | null;
	/** Whether to send first the messages that prepare the device, such as Programmer mode. */
	set_up: boolean;
}

/** How to control the device's lights, rings or display. */
export interface Lights {
	grade: "two_sources" | "one_source";
	/** The ids of the entries in the profile's `sources` that state the fact. */
	sources: string[];
	/** The ids of the groups whose controls have lights. */
	groups: string[];
	/** The variant in which the lights are set in this way. Left out: every variant that has these groups. */
	variant: string | null;
	protocol: "velocity_state" | "velocity_palette" | "velocity_bits" | "cc_echo" | "cc_ring" | "sysex_rgb" | "sysex_text" | "hid_report" | "none";
	/** How the lights are set, as a description for people. */
	how: string;
	/** The message that sets one light. Left out: a `Led` action cannot set it, and `how` says why. */
	message: "note" | "cc" | "sysex" | null;
	/** The number of each light, in the order of the groups. Left out: each light has the number of its control. */
	lights: (number | string)[];
	/** The channel of the message. Left out: the channel of the control. */
	channel: number | null;
	/** The SysEx message, with placeholders: `F0 00 20 6B 7F 42 02 00 10 {light} {color} F7`. */
	sysex: string | null;
	/** The value for a colour or state. Left out with `{red}`: the colour itself is sent. */
	colors: Record<string, number>;
	/** The messages that prepare the lights, such as a message that enables blinking. */
	setup: string[];
	/** What the user must set on the device before the lights work. */
	needs: string | null;
}

/** A straight line from `min` to `max`. */
export interface LinearInput {
	/** The value at or below which the output is `min`. */
	in_min?: number;
	/** The value at or above which the output is `max`. */
	in_max?: number;
	/** The lowest value that the curve gives. */
	min?: number;
	/** The highest value that the curve gives. If it is less than `min`, the control is inverted. */
	max?: number;
	type: "Linear";
}

/** A straight line from `min` to `max`. */
export interface Linear {
	/** The value at or below which the output is `min`. */
	in_min: number;
	/** The value at or above which the output is `max`. */
	in_max: number;
	/** The lowest value that the curve gives. */
	min: number;
	/** The highest value that the curve gives. If it is less than `min`, the control is inverted. */
	max: number;
	type: "Linear";
}

export interface ListConversationsParams {
	query?: string;
	limit?: number;
	/** The id of a conversation. Only conversations that were used before that one are returned, for the next page of the list. */
	before_id?: string | null;
}

export interface ListOlderMessagesParams {
	conversation_id: string;
	limit?: number;
	before_id: string;
}

export interface ListVersionsParams {
	limit?: number;
	before_id?: number | null;
}

/** The A2A server for other agents. */
export interface LlmA2aInput {
	/** Whether other agents on this computer may give Conductor tasks over A2A. */
	enabled?: boolean;
	/** The TCP port for A2A. */
	http_port?: number;
	/** The name under which Conductor is announced to other agents. */
	agent_name?: string;
}

/** The A2A server for other agents. */
export interface LlmA2a {
	/** Whether other agents on this computer may give Conductor tasks over A2A. */
	enabled: boolean;
	/** The TCP port for A2A. */
	http_port: number;
	/** The name under which Conductor is announced to other agents. */
	agent_name: string;
}

/** Limits for the cost of the chat. */
export interface LlmBudgetInput {
	/** The cost per day above which the chat warns once. 0: never. */
	warn_usd_per_day?: number;
	/** The cost per day above which no request is made. Left out: no limit. */
	stop_usd_per_day?: number | null;
	/** The cost above which a conversation makes no more requests. Left out: no limit. */
	stop_usd_per_conversation?: number | null;
}

/** Limits for the cost of the chat. */
export interface LlmBudget {
	/** The cost per day above which the chat warns once. 0: never. */
	warn_usd_per_day: number;
	/** The cost per day above which no request is made. Left out: no limit. */
	stop_usd_per_day: number | null;
	/** The cost above which a conversation makes no more requests. Left out: no limit. */
	stop_usd_per_conversation: number | null;
}

/** Limits for the assistant in the chat. Those of `llm.mcp` are for outside agents only. */
export interface LlmChatInput {
	/** Whether the assistant has only tools that change nothing. */
	read_only?: boolean;
	/** The only tools that the assistant has. Left out: all. */
	allowed_tools?: string[] | null;
	/** Tools that the assistant never has. */
	denied_tools?: string[];
	/** The only groups of tools that the assistant has. Left out: all. */
	toolsets?: string[] | null;
}

/** Limits for the assistant in the chat. Those of `llm.mcp` are for outside agents only. */
export interface LlmChat {
	/** Whether the assistant has only tools that change nothing. */
	read_only: boolean;
	/** The only tools that the assistant has. Left out: all. */
	allowed_tools: string[] | null;
	/** Tools that the assistant never has. */
	denied_tools: string[];
	/** The only groups of tools that the assistant has. Left out: all. */
	toolsets: string[] | null;
}

/** The MCP server for outside agents. */
export interface LlmMcpInput {
	/** Whether outside agents are served. Off: they are refused; the `conductor` commands keep working. */
	enabled?: boolean;
	/** The path of the socket. Left out: `mcp.sock` in the home folder. */
	socket_path?: string | null;
	/** Whether HTTP is open too, on this computer only. */
	http_enabled?: boolean;
	/** The TCP port for HTTP. */
	http_port?: number;
	/** The environment variable that holds the token for HTTP. */
	auth_token_env?: string | null;
	/** Whether agents on other computers can ask for access. You decide about each of them in the window or at a terminal, and connections are encrypted. */
	remote_enabled?: boolean;
	/** The address by which agents reach this computer, such as `https://studio.example:8767`. Empty: the name of this computer, and `remote_port`. */
	remote_address?: string;
	/** The IP address of this computer on which agents are served. `0.0.0.0`: all its addresses. */
	remote_host?: string;
	/** The TCP port for agents on other computers. */
	remote_port?: number;
	/** Whether Conductor encrypts these connections itself. Off: only behind a program on this computer that does, such as Caddy; `remote_host` must then be `127.0.0.1`. */
	remote_tls?: boolean;
	/** The file with the certificate of `remote_address`, in PEM format. Empty: Conductor makes one. */
	remote_certificate?: string;
	/** The file with the private key of the certificate, in PEM format without a password. */
	remote_certificate_key?: string;
	/** Who may approve a change: the window or a terminal only, or also a form in one of `form_clients`. */
	approval?: "elicit_or_gui" | "gui";
	/** Clients whose own forms may approve harmless changes, each as `name at /path/of/its/program`. A client can answer its form without you, so list only clients that you trust with your mappings. */
	form_clients?: string[];
	/** Whether only tools that change nothing are offered. */
	read_only?: boolean;
	/** The only tools that are offered. Left out: all. */
	allowed_tools?: string[] | null;
	/** Tools that are never offered. */
	denied_tools?: string[];
	/** The only groups of tools that are offered. Left out: all. */
	toolsets?: string[] | null;
}

/** The MCP server for outside agents. */
export interface LlmMcp {
	/** Whether outside agents are served. Off: they are refused; the `conductor` commands keep working. */
	enabled: boolean;
	/** The path of the socket. Left out: `mcp.sock` in the home folder. */
	socket_path: string | null;
	/** Whether HTTP is open too, on this computer only. */
	http_enabled: boolean;
	/** The TCP port for HTTP. */
	http_port: number;
	/** The environment variable that holds the token for HTTP. */
	auth_token_env: string | null;
	/** Whether agents on other computers can ask for access. You decide about each of them in the window or at a terminal, and connections are encrypted. */
	remote_enabled: boolean;
	/** The address by which agents reach this computer, such as `https://studio.example:8767`. Empty: the name of this computer, and `remote_port`. */
	remote_address: string;
	/** The IP address of this computer on which agents are served. `0.0.0.0`: all its addresses. */
	remote_host: string;
	/** The TCP port for agents on other computers. */
	remote_port: number;
	/** Whether Conductor encrypts these connections itself. Off: only behind a program on this computer that does, such as Caddy; `remote_host` must then be `127.0.0.1`. */
	remote_tls: boolean;
	/** The file with the certificate of `remote_address`, in PEM format. Empty: Conductor makes one. */
	remote_certificate: string;
	/** The file with the private key of the certificate, in PEM format without a password. */
	remote_certificate_key: string;
	/** Who may approve a change: the window or a terminal only, or also a form in one of `form_clients`. */
	approval: "elicit_or_gui" | "gui";
	/** Clients whose own forms may approve harmless changes, each as `name at /path/of/its/program`. A client can answer its form without you, so list only clients that you trust with your mappings. */
	form_clients: string[];
	/** Whether only tools that change nothing are offered. */
	read_only: boolean;
	/** The only tools that are offered. Left out: all. */
	allowed_tools: string[] | null;
	/** Tools that are never offered. */
	denied_tools: string[];
	/** The only groups of tools that are offered. Left out: all. */
	toolsets: string[] | null;
}

/** A model provider. Keys are never written here. */
export interface LlmProviderInput {
	/** The provider's API. Left out: that of the provider with this name, or `custom` for another name. */
	kind?: "anthropic" | "openai" | "google" | "openrouter" | "litellm" | "custom" | null;
	/** Whether the provider may be used. */
	enabled?: boolean;
	/** The environment variable that holds the key. Left out: the keychain. */
	api_key_env?: string | null;
	/** The address of the service. Left out: the provider's own. */
	base_url?: string | null;
	/** The name that the provider gives to the model. */
	model?: string | null;
	/** The maximum length of an answer, in tokens. */
	max_tokens?: number | null;
	/** The sampling temperature; not sent to models without one. */
	temperature?: number | null;
	/** The context window of the model, if neither the provider nor the built-in table knows it. */
	context_tokens?: number | null;
	/** Whether the model can call tools. Left out: as reported by the provider or the built-in table. */
	tools?: boolean | null;
	/** Whether answers are streamed. Left out: as the built-in table says. */
	streaming?: boolean | null;
	/** How many requests are sent to the provider per minute. Left out: 60; no limit in the local network. */
	requests_per_minute?: number | null;
}

/** A model provider. Keys are never written here. */
export interface LlmProvider {
	/** The provider's API. Left out: that of the provider with this name, or `custom` for another name. */
	kind: "anthropic" | "openai" | "google" | "openrouter" | "litellm" | "custom" | null;
	/** Whether the provider may be used. */
	enabled: boolean;
	/** The environment variable that holds the key. Left out: the keychain. */
	api_key_env: string | null;
	/** The address of the service. Left out: the provider's own. */
	base_url: string | null;
	/** The name that the provider gives to the model. */
	model: string | null;
	/** The maximum length of an answer, in tokens. */
	max_tokens: number | null;
	/** The sampling temperature; not sent to models without one. */
	temperature: number | null;
	/** The context window of the model, if neither the provider nor the built-in table knows it. */
	context_tokens: number | null;
	/** Whether the model can call tools. Left out: as reported by the provider or the built-in table. */
	tools: boolean | null;
	/** Whether answers are streamed. Left out: as the built-in table says. */
	streaming: boolean | null;
	/** How many requests are sent to the provider per minute. Left out: 60; no limit in the local network. */
	requests_per_minute: number | null;
}

export interface LlmSettingsInput {
	/** Whether the chat may call a model. */
	enabled?: boolean;
	/** The provider that a new conversation uses. */
	default_provider?: string | null;
	/** The providers of models, by name. */
	providers?: Record<string, LlmProviderInput>;
	/** The providers to try, in this order, when the chosen provider fails. */
	failover?: string[];
	/** The number of requests after which an answer pauses and the chat asks whether to continue. */
	max_steps?: number;
	budget?: LlmBudgetInput;
	/** Limits for the assistant in the chat. */
	chat?: LlmChatInput;
	mcp?: LlmMcpInput;
	a2a?: LlmA2aInput;
}

export interface LlmSettings {
	/** Whether the chat may call a model. */
	enabled: boolean;
	/** The provider that a new conversation uses. */
	default_provider: string | null;
	/** The providers of models, by name. */
	providers: Record<string, LlmProvider>;
	/** The providers to try, in this order, when the chosen provider fails. */
	failover: string[];
	/** The number of requests after which an answer pauses and the chat asks whether to continue. */
	max_steps: number;
	budget: LlmBudget;
	/** Limits for the assistant in the chat. */
	chat: LlmChat;
	mcp: LlmMcp;
	a2a: LlmA2a;
}

/** Fires once a control has been held for `duration_ms`; a shorter press is a tap. */
export interface LongPressTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	/** The number of the note. */
	note?: number | null;
	/** The name of a gamepad button, instead of a note. */
	button?: string | null;
	type: "LongPress";
	/** How long the control must be held, in milliseconds. */
	duration_ms?: number;
	/** Pressing another control of the device while this one is down makes it a hold at once. */
	hold_on_other_press?: boolean;
	/** Pressing and releasing another control of the device while this one is down makes it a hold at once. */
	permissive_hold?: boolean;
	/** A press that starts less than this after a tap started is the tap again, for as long as it is held. 0: it may be a hold. */
	quick_tap_ms?: number;
	/** If another control of the device was pressed less than this before, the press is a tap at once, without waiting for this gesture. 0: always wait. */
	require_prior_idle_ms?: number;
	/** While this gesture is undecided, events of the device's other controls wait and follow in order. Off: they act at once. */
	keep_order?: boolean;
}

/** Fires once a control has been held for `duration_ms`; a shorter press is a tap. */
export interface LongPressTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	/** The number of the note. */
	note: number | null;
	/** The name of a gamepad button, instead of a note. */
	button: string | null;
	type: "LongPress";
	/** How long the control must be held, in milliseconds. */
	duration_ms: number;
	/** Pressing another control of the device while this one is down makes it a hold at once. */
	hold_on_other_press: boolean;
	/** Pressing and releasing another control of the device while this one is down makes it a hold at once. */
	permissive_hold: boolean;
	/** A press that starts less than this after a tap started is the tap again, for as long as it is held. 0: it may be a hold. */
	quick_tap_ms: number;
	/** If another control of the device was pressed less than this before, the press is a tap at once, without waiting for this gesture. 0: always wait. */
	require_prior_idle_ms: number;
	/** While this gesture is undecided, events of the device's other controls wait and follow in order. Off: they act at once. */
	keep_order: boolean;
}

/** A manual that the user added. */
export interface Manual {
	/** The id of the source: `manual/minitaur`. */
	id: string;
	title: string;
	file_name: string;
	state: "waiting" | "indexing" | "ready" | "failed";
	/** Why the manual cannot be searched, or what is missing; empty if there is no problem. */
	problem: string;
	/** The number of pages; 0 until the file has been opened. */
	pages: number;
	/** The number of pages that have been indexed. */
	done_pages: number;
	chunks: number;
	/** The number of parameters with a controller number that its tables name. */
	parameters: number;
	size_bytes: number;
	added_at: string;
}

export interface ManualList {
	manuals: Manual[];
}

/** The text of a page of a manual. */
export interface ManualPage {
	manual_id: string;
	title: string;
	page: number;
	pages: number;
	/** The text as it stands on the page, with its columns. */
	text: string;
	is_pdf: boolean;
}

export interface ManualPageParams {
	manual_id: string;
	page: number;
}

export interface ManualParams {
	manual_id: string;
}

/** The state of all manuals of the user, sent whenever one is added, indexed further or removed. */
export interface ManualsTopic {
	manuals: Manual[];
}

/** A trigger and the action that it performs. */
export interface MappingInput {
	/** What the mapping is for, in your words; shown in lists and traces. */
	description?: string | null;
	/** Whether the mapping works; if false, it only stays in the file. */
	enabled?: boolean;
	/** The gesture on a control that fires the mapping. */
	trigger: TriggerInput;
	/** What the mapping does when it fires. */
	action: ActionInput;
}

/** A trigger and the action that it performs. */
export interface Mapping {
	/** What the mapping is for, in your words; shown in lists and traces. */
	description: string | null;
	/** Whether the mapping works; if false, it only stays in the file. */
	enabled: boolean;
	/** The gesture on a control that fires the mapping. */
	trigger: Trigger;
	/** What the mapping does when it fires. */
	action: Action;
}

/** How often a mapping that the change affects was used, and by what. */
export interface MappingCoverage {
	/** Where the mapping is: `mode:<name>`, `profile:<name>` or `global`. */
	scope: string;
	index: number;
	/** The config that contains the mapping: `old` or `new`. */
	side: string;
	/** The description of the mapping or, if it has none, its trigger and its action. */
	words: string;
	/** Whether the user has played the controls of the mapping. Left out if unknown. */
	played: boolean | null;
	/** The number of generated gestures in which the mapping fired. */
	gestures: number;
}

export interface MarkPlanEditedParams {
	plan_id: string;
	/** The hash of the config with the edited change. */
	result_hash: string;
}

export type MatcherInput = NameRegexInput | NameContainsInput | PlatformIdInput | ExactNameInput | UsbTopologyInput | UsbIdentifierInput | CoreMidiUniqueIdInput;

export type Matcher = NameRegex | NameContains | PlatformId | ExactName | UsbTopology | UsbIdentifier | CoreMidiUniqueId;

/** A reference to something in Conductor, such as a control or mapping, that the user inserted with `@`. */
export interface MentionPart {
	type: "mention";
	kind: "device" | "control" | "mode" | "plan" | "mapping";
	/** The text that the user sees, such as `pad 36`. */
	label: string;
	/** The text that the model receives, such as `note 36 on channel 10 of the device "pads"`. */
	detail: string;
}

export interface Mentions {
	mentions: MentionPart[];
}

/** A message was added or replaced. */
export interface MessageEvent {
	type: "message";
	message: ChatMessage;
}

export interface MessageParams {
	message_id: string;
}

export interface Microphones {
	/** The names of the connected microphones, the default one first. */
	names: string[];
}

/** Forwards the message, also transposed or in another range; note-offs follow. */
export interface MidiForwardActionInput {
	type: "MidiForward";
	/** The output: its name, a part of it, or a device alias. */
	port: string;
	/** The channel to send on. Left out: the original channel. */
	channel?: number | null;
	/** The number of semitones by which notes are moved. */
	transpose?: number;
	/** The new velocity, CC value or pressure. Left out: unchanged. */
	value?: FromControlInput | null;
}

/** Forwards the message, also transposed or in another range; note-offs follow. */
export interface MidiForwardAction {
	type: "MidiForward";
	/** The output: its name, a part of it, or a device alias. */
	port: string;
	/** The channel to send on. Left out: the original channel. */
	channel: number | null;
	/** The number of semitones by which notes are moved. */
	transpose: number;
	/** The new velocity, CC value or pressure. Left out: unchanged. */
	value: FromControl | null;
}

/** A MIDI Learn session of a client, which captures what the user plays until it expires or is stopped. */
export interface MidiLearnSession {
	session_id: string;
	/** The kind of the client, such as `mcp`; see `Requester`. */
	caller: string;
	client: string | null;
	executable: string | null;
	/** The conversation whose assistant started the session, or None. */
	conversation_id: string | null;
	expires_at: string;
}

/** The clients that are capturing input now, sent whenever one starts or ends. */
export interface MidiLearnTopic {
	sessions: MidiLearnSession[];
}

export interface MissingParams {
	/** The action to check. Null: the actions of all mappings of the running config. */
	action?: ActionInput | null;
}

export interface MissingPart {
	/** The place of the mapping, or null for the action in the parameters. */
	scope: string | null;
	index: number | null;
	message: string;
}

export interface MissingPartList {
	parts: MissingPart[];
}

/** A named set of mappings; one mode is active at a time. */
export interface ModeInput {
	/** The name that ModeChange and ModeIs use. */
	name: string;
	/** The colour of the mode in the window. */
	color?: string | null;
	/** The mappings of this mode. */
	mappings?: MappingInput[];
}

/** A named set of mappings; one mode is active at a time. */
export interface Mode {
	/** The name that ModeChange and ModeIs use. */
	name: string;
	/** The colour of the mode in the window. */
	color: string | null;
	/** The mappings of this mode. */
	mappings: Mapping[];
}

/** Changes the mode, as `behaviour` says. */
export interface ModeChangeActionInput {
	type: "ModeChange";
	/** The other mode; needed for switch, momentary and toggle. */
	mode?: string | null;
	/** How the mode changes. */
	behaviour?: "switch" | "momentary" | "toggle" | "next" | "previous";
}

/** Changes the mode, as `behaviour` says. */
export interface ModeChangeAction {
	type: "ModeChange";
	/** The other mode; needed for switch, momentary and toggle. */
	mode: string | null;
	/** How the mode changes. */
	behaviour: "switch" | "momentary" | "toggle" | "next" | "previous";
}

/** The active mode has this name. */
export interface ModeIs {
	type: "ModeIs";
	/** The name of the mode. */
	mode: string;
}

/** Reports that a client has switched to another mode in the running engine. */
export interface ModeSwitchTopic {
	mode: string;
	previous_mode: string;
	/** The kind of the client, such as `mcp`; see `Requester`. */
	caller: string;
	client: string | null;
	executable: string | null;
}

/** A model that a provider offers. */
export interface ModelInfo {
	model: string;
	label: string;
	capabilities: Capabilities;
	input_usd_per_mtok: number | null;
	output_usd_per_mtok: number | null;
	/** The date on which the provider retires the model, in ISO format; None if none is announced. */
	retires_at: string | null;
}

export interface ModelList {
	models: ModelInfo[];
}

/** Clicks a mouse button, also at a position. */
export interface MouseClickActionInput {
	type: "MouseClick";
	/** The mouse button to click. */
	button?: "left" | "middle" | "right";
	/** The position in pixels from the left of the screen. Left out: at the pointer. */
	x?: number | null;
	/** The position in pixels from the top of the screen. Left out: at the pointer. */
	y?: number | null;
	/** The number of clicks; 2 is a double click. */
	count?: number;
}

/** Clicks a mouse button, also at a position. */
export interface MouseClickAction {
	type: "MouseClick";
	/** The mouse button to click. */
	button: "left" | "middle" | "right";
	/** The position in pixels from the left of the screen. Left out: at the pointer. */
	x: number | null;
	/** The position in pixels from the top of the screen. Left out: at the pointer. */
	y: number | null;
	/** The number of clicks; 2 is a double click. */
	count: number;
}

/** Moves the pointer; by a distance when `relative`. */
export interface MouseMoveActionInput {
	type: "MouseMove";
	/** Pixels from the left, or to the right when `relative`. */
	x?: number | FromControlInput;
	/** Pixels from the top, or down when `relative`. */
	y?: number | FromControlInput;
	/** Whether the pointer moves by a distance instead of to a position. */
	relative?: boolean;
}

/** Moves the pointer; by a distance when `relative`. */
export interface MouseMoveAction {
	type: "MouseMove";
	/** Pixels from the left, or to the right when `relative`. */
	x: number | FromControl;
	/** Pixels from the top, or down when `relative`. */
	y: number | FromControl;
	/** Whether the pointer moves by a distance instead of to a position. */
	relative: boolean;
}

/** Scrolls by notches: positive `dy` is up, positive `dx` is right. */
export interface MouseScrollActionInput {
	type: "MouseScroll";
	/** The distance to scroll to the right, in notches of a wheel. */
	dx?: number | FromControlInput;
	/** The distance to scroll up, in notches of a wheel. */
	dy?: number | FromControlInput;
}

/** Scrolls by notches: positive `dy` is up, positive `dx` is right. */
export interface MouseScrollAction {
	type: "MouseScroll";
	/** The distance to scroll to the right, in notches of a wheel. */
	dx: number | FromControl;
	/** The distance to scroll up, in notches of a wheel. */
	dy: number | FromControl;
}

/** Moves a mapping within its list, or to another list. */
export interface MoveMappingInput {
	/** The mode that contains it. Without `mode` and `profile`: the mappings of all modes. */
	mode?: string | null;
	profile?: string | null;
	change_type: "MoveMapping";
	index: number;
	/** The new index. Left out: the end of the list. */
	to_index?: number | null;
	to_mode?: string | null;
	to_profile?: string | null;
	to_global?: boolean;
}

/** Moves a mapping within its list, or to another list. */
export interface MoveMapping {
	/** The mode that contains it. Without `mode` and `profile`: the mappings of all modes. */
	mode: string | null;
	profile: string | null;
	change_type: "MoveMapping";
	index: number;
	/** The new index. Left out: the end of the list. */
	to_index: number | null;
	to_mode: string | null;
	to_profile: string | null;
	to_global: boolean;
}

/** Matches if the name of the port contains this text, in any case. */
export interface NameContainsInput {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence?: number | null;
	type: "NameContains";
	/** A part of the port's name. */
	pattern: string;
}

/** Matches if the name of the port contains this text, in any case. */
export interface NameContains {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence: number | null;
	type: "NameContains";
	/** A part of the port's name. */
	pattern: string;
}

/** Matches if a regular expression occurs in the name of the port. */
export interface NameRegexInput {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence?: number | null;
	type: "NameRegex";
	/** A regular expression. `(?!...)` may say what must not follow; other look-around and backreferences are not known. */
	pattern: string;
}

/** Matches if a regular expression occurs in the name of the port. */
export interface NameRegex {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence: number | null;
	type: "NameRegex";
	/** A regular expression. `(?!...)` may say what must not follow; other look-around and backreferences are not known. */
	pattern: string;
}

/** Reports that control names have changed, and with them the descriptions of mappings and events. */
export interface NamesTopic {
}

/** Never true. */
export interface Never {
	type: "Never";
}

/** The condition does not hold. */
export interface NotInput {
	type: "Not";
	/** The condition that must not hold. */
	condition: ConditionInput;
}

/** The condition does not hold. */
export interface Not {
	type: "Not";
	/** The condition that must not hold. */
	condition: Condition;
}

/** Fires when all its notes start within `timeout_ms`; it then consumes them. */
export interface NoteChordTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "NoteChord";
	/** The numbers of two to ten notes. */
	notes: number[];
	/** The greatest time between the first and the last start. */
	timeout_ms?: number;
	/** Fires with its last note instead of at the end of the time, unless a longer chord could still come. */
	fire_when_complete?: boolean;
	/** If another control of the device was pressed less than this before, the press is a tap at once, without waiting for this gesture. 0: always wait. */
	require_prior_idle_ms?: number;
	/** While this gesture is undecided, events of the device's other controls wait and follow in order. Off: they act at once. */
	keep_order?: boolean;
}

/** Fires when all its notes start within `timeout_ms`; it then consumes them. */
export interface NoteChordTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "NoteChord";
	/** The numbers of two to ten notes. */
	notes: number[];
	/** The greatest time between the first and the last start. */
	timeout_ms: number;
	/** Fires with its last note instead of at the end of the time, unless a longer chord could still come. */
	fire_when_complete: boolean;
	/** If another control of the device was pressed less than this before, the press is a tap at once, without waiting for this gesture. 0: always wait. */
	require_prior_idle_ms: number;
	/** While this gesture is undecided, events of the device's other controls wait and follow in order. Off: they act at once. */
	keep_order: boolean;
}

/** A note for the user that Conductor has added to the conversation; it is not sent to the model. */
export interface NotePart {
	type: "note";
	kind: "failover" | "compacted" | "budget" | "steps" | "stopped" | "degraded" | "restarted" | "skill" | "found";
	text: string;
	/** The Agent Skill that is active from here on; None if no skill is active. */
	skill: string | null;
	/** The tools that the model is offered from here on, in the order in which they were found. */
	tools: string[];
}

/** Fires when a note is released. */
export interface NoteReleaseTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "NoteRelease";
	/** The number of the note. */
	note: number;
}

/** Fires when a note is released. */
export interface NoteReleaseTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "NoteRelease";
	/** The number of the note. */
	note: number;
}

/** Fires when a note is struck. */
export interface NoteTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "Note";
	/** The number of the note; 60 is middle C. */
	note: number;
	/** The lowest velocity that fires. */
	velocity_min?: number | null;
}

/** Fires when a note is struck. */
export interface NoteTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "Note";
	/** The number of the note; 60 is middle C. */
	note: number;
	/** The lowest velocity that fires. */
	velocity_min: number | null;
}

/** A short message that the page shows to the user until it is withdrawn or dismissed. */
export interface NoticeTopic {
	text: string;
	level: "info" | "warning";
	/** The hash of the config whose change the notice reports. Undo is offered while this config runs. */
	undoes: string | null;
	/** The number of the browser page that waits for the user's confirmation. */
	page: number | null;
}

/** Fires on every value of an NRPN or RPN, or when it enters a range. */
export interface NrpnTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "Nrpn";
	/** The number of the parameter: 128 times the MSB plus the LSB. */
	parameter: number;
	/** Whether the parameter is an RPN instead of an NRPN. */
	registered?: boolean;
	/** The lowest value in the range. */
	value_min?: number | null;
	/** The highest value in the range. */
	value_max?: number | null;
	/** The direction of a crossing that fires. */
	edge?: "any" | "rising" | "falling";
}

/** Fires on every value of an NRPN or RPN, or when it enters a range. */
export interface NrpnTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "Nrpn";
	/** The number of the parameter: 128 times the MSB plus the LSB. */
	parameter: number;
	/** Whether the parameter is an RPN instead of an NRPN. */
	registered: boolean;
	/** The lowest value in the range. */
	value_min: number | null;
	/** The highest value in the range. */
	value_max: number | null;
	/** The direction of a crossing that fires. */
	edge: "any" | "rising" | "falling";
}

/** An effect that occurred when the example was saved, with its system calls. */
export interface ObservedEffect {
	kind: string;
	at_ms: number | null;
	calls: unknown[];
}

export interface OlderMessages {
	messages: ShownMessage[];
	older: boolean;
}

export interface OpenAppParams {
	/** The name or an alias of the tool whose result the page shows. */
	tool: string;
}

export interface OpenConversationParams {
	conversation_id: string;
	limit?: number;
}

export interface OpenUrlParams {
	url: string;
}

export interface OpenedApp {
	/** The path of the page to show in a frame, or None if the tool has no page. */
	path: string | null;
	server: string;
	title: string;
	/** The network hosts to which the page wants to connect. These connections are blocked. */
	wanted: string[];
}

export interface OpenedManual {
	/** Whether the viewer was told the page. */
	at_page: boolean;
}

/** At least one of the conditions holds. */
export interface OrInput {
	type: "Or";
	/** The conditions; each may be of any kind, also `And` and `Not`. */
	conditions: ConditionInput[];
}

/** At least one of the conditions holds. */
export interface Or {
	type: "Or";
	/** The conditions; each may be of any kind, also `And` and `Not`. */
	conditions: Condition[];
}

/** Data that a provider has attached to a part of a message, such as a signature. It is sent back unchanged with the part, but only to this provider. */
export interface OriginInput {
	/** The API of the provider, such as `anthropic` or `google`, which pydantic-ai calls `provider_name`. */
	provider: string;
	/** The name of the provider in `llm.providers`, because several servers may have the same API. */
	row?: string;
	model?: string;
	id?: string | null;
	signature?: string | null;
	details?: Record<string, unknown>;
}

/** Data that a provider has attached to a part of a message, such as a signature. It is sent back unchanged with the part, but only to this provider. */
export interface Origin {
	/** The API of the provider, such as `anthropic` or `google`, which pydantic-ai calls `provider_name`. */
	provider: string;
	/** The name of the provider in `llm.providers`, because several servers may have the same API. */
	row: string;
	model: string;
	id: string | null;
	signature: string | null;
	details: Record<string, unknown>;
}

/** Fires on every message to an address, or when its first number enters a range. */
export interface OscMessageTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "OscMessage";
	/** The complete OSC address. */
	address: string;
	/** The lowest number in the range. */
	value_min?: number | null;
	/** The highest number in the range. */
	value_max?: number | null;
}

/** Fires on every message to an address, or when its first number enters a range. */
export interface OscMessageTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "OscMessage";
	/** The complete OSC address. */
	address: string;
	/** The lowest number in the range. */
	value_min: number | null;
	/** The highest number in the range. */
	value_max: number | null;
}

/** Sends an OSC message over UDP; an argument may be `{ from = "value" }`, 0.0 to 1.0. */
export interface OscSendActionInput {
	type: "OscSend";
	/** The name or address of the computer to send to. */
	host?: string;
	/** The UDP port to send to. */
	port: number;
	/** The OSC address, such as `/track/1/volume`. */
	address: string;
	/** The arguments: numbers, texts, true and false, or `{ from = "value" }`. */
	args?: (boolean | number | string | FromControlInput)[];
}

/** Sends an OSC message over UDP; an argument may be `{ from = "value" }`, 0.0 to 1.0. */
export interface OscSendAction {
	type: "OscSend";
	/** The name or address of the computer to send to. */
	host: string;
	/** The UDP port to send to. */
	port: number;
	/** The OSC address, such as `/track/1/volume`. */
	address: string;
	/** The arguments: numbers, texts, true and false, or `{ from = "value" }`. */
	args: (boolean | number | string | FromControl)[];
}

/** A conflict between two mappings, or a mapping that cannot work as configured. */
export interface Overlap {
	kind: "duplicate" | "shadowed" | "wildcard" | "chord_subset" | "tap_delayed" | "chord_delays_tap" | "hold_delayed" | "never_released" | "notes_keep_sounding" | "toggle_cannot_hold" | "unreachable_mode" | "no_way_back" | "shell_beside_performance" | "interferes" | "never_fires";
	severity: "info" | "warning" | "error";
	/** The conflict as a sentence, such as `adding a double tap delays the single tap by 300 ms`. */
	message: string;
	/** The mappings concerned, each as its scope and index: `mode:Default #3`. */
	places: string[];
	/** False if the current config already has the conflict. */
	is_new: boolean;
	/** An event script that demonstrates the conflict, such as `down 36; wait 299; down 36`. */
	gesture: string | null;
	/** The names of the controls concerned, where they are known. */
	control_names: ControlLabel[];
	/** When the delayed tap acts, if that is always the same. */
	tap_wait: TapWait | null;
}

export interface PageList {
	pages: PageRow[];
}

export interface PageRow {
	number: number;
	/** Whether a browser currently shows the page. */
	opened: boolean;
	confirmed: boolean;
	/** The program and process that requested the address, or None for the address that Conductor itself printed. */
	given_to: string | null;
}

/** A part at `index` was added or replaced. */
export interface PartEvent {
	type: "part";
	conversation_id: string;
	message_id: string;
	index: number;
	part: TextPart | ThinkingPart | ToolCallPart | ToolResultPart | ImagePart | FilePart | MentionPart | NotePart | KnowledgePart;
}

/** The control's value, unchanged. */
export interface PassThrough {
	type: "PassThrough";
}

export interface PassphraseParams {
	passphrase?: string;
}

export interface PauseMappingsParams {
	paused: boolean;
}

/** A rectangle in the picture of the device, in units of the picture. */
export interface PictureArea {
	x: number;
	y: number;
	w: number;
	h: number;
}

/** The device that a name referred to when the example was saved. The name may refer to another device later. */
export interface PinnedDevice {
	name: string;
	matchers: Matcher[];
	/** The port name, if the device was plugged in when the example was saved. */
	port: string | null;
}

/** Fires on every move, or when the bend enters a range. */
export interface PitchBendTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "PitchBend";
	/** The lowest bend in the range: 0 is full down, 8192 the centre, 16383 full up. */
	value_min?: number | null;
	/** The highest bend in the range. */
	value_max?: number | null;
	/** Values this close to the centre count as the centre. */
	dead_zone?: number;
}

/** Fires on every move, or when the bend enters a range. */
export interface PitchBendTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "PitchBend";
	/** The lowest bend in the range: 0 is full down, 8192 the centre, 16383 full up. */
	value_min: number | null;
	/** The highest bend in the range. */
	value_max: number | null;
	/** Values this close to the centre count as the centre. */
	dead_zone: number;
}

/** The results so far of playing generated gestures for a plan; the last event has the final results. */
export interface PlanCoverageTopic {
	plan_id: string;
	coverage: Coverage;
}

export interface PlanList {
	plans: ConfigPlan[];
}

export interface PlanParams {
	plan_id: string;
}

export interface PlanView {
	plan: ConfigPlan;
	before_after: RowChange[];
	/** The differences that each of `changes` makes, or nothing if they are unknown. */
	rows_by_change: RowChange[][];
	timeline: Timeline | null;
	changes: Change[];
	/** Whether the changes of an applied plan are still in force. Null for a plan that is not applied. */
	standing: "in_force" | "undone" | "changed_since" | null;
	/** The step of the history, undo or redo, that would revert or repeat exactly this plan, or null. */
	way: "undo" | "redo" | null;
}

/** One change of a plan, with its description for the user. */
export interface PlannedChange {
	change_type: string;
	mode: string | null;
	description: string;
}

/** Matches the id that the operating system gives to the port. */
export interface PlatformIdInput {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence?: number | null;
	type: "PlatformId";
	/** The complete id of the port. */
	pattern: string;
}

/** Matches the id that the operating system gives to the port. */
export interface PlatformId {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence: number | null;
	type: "PlatformId";
	/** The complete id of the port. */
	pattern: string;
}

export interface PlayControlParams {
	do: "press" | "release" | "turn";
	control: string;
	/** The velocity of a press (100 by default), or the target value of a turn. */
	value?: number | null;
}

/** A step of the capture, in which the user plays one group of controls. */
export interface PlayedCaptureStep {
	at: number;
	role?: "pad" | "key" | "knob" | "encoder" | "fader" | "button" | "transport" | "pedal" | "strip" | "stick" | "jog" | "trigger" | null;
	bank?: number;
	/** Whether the user was asked to turn a knob to the right that was played before. */
	turn_right?: boolean;
}

/** The device and channel of a control, for an example that plays several controls. */
export interface PlayedControl {
	/** The class and number of the control, such as `note 36`. */
	control: string;
	device: string;
	channel: number;
}

/** Calls a tool of an MCP server; a value in `args` may be `{ from = "value", max = 255 }`. */
export interface PluginActionInput {
	type: "Plugin";
	/** The name of the server in `mcp.json`. */
	server: string;
	/** The name of the tool. */
	tool: string;
	/** The tool's arguments. A value at any depth may be taken from the control: `{ from = "value" }` is 0 to 127; `min`, `max`, `invert`, `curve` and `decimals` make another of it. */
	args?: Record<string, unknown>;
	/** The time limit for a call, in seconds. */
	timeout_s?: number;
	/** The maximum number of calls per second. Beyond it, only the newest value of a control is sent, but each press counts. */
	rate_per_s?: number;
}

/** Calls a tool of an MCP server; a value in `args` may be `{ from = "value", max = 255 }`. */
export interface PluginAction {
	type: "Plugin";
	/** The name of the server in `mcp.json`. */
	server: string;
	/** The name of the tool. */
	tool: string;
	/** The tool's arguments. A value at any depth may be taken from the control: `{ from = "value" }` is 0 to 127; `min`, `max`, `invert`, `curve` and `decimals` make another of it. */
	args: Record<string, unknown>;
	/** The time limit for a call, in seconds. */
	timeout_s: number;
	/** The maximum number of calls per second. Beyond it, only the newest value of a control is sent, but each press counts. */
	rate_per_s: number;
}

export interface PreviewChangesParams {
	changes: ChangeInput[];
	base_hash?: string | null;
	/** Whether the warnings name the devices and programs that are missing for the changes, as in a plan. */
	finds_missing?: boolean;
}

export interface PricesView {
	updated_at: string | null;
}

/** An error or a warning about a config, with its path in the file. */
export interface Problem {
	/** The path of the value in the config, such as `modes[0].mappings[3].trigger`. */
	path: string;
	message: string;
	line: number | null;
	/** For a duplicate, the path of the first occurrence; otherwise None. */
	first: string | null;
}

/** The errors because of which the config file on disk is not loaded; empty if the file is loaded. */
export interface ProblemsTopic {
	problems: Problem[];
}

/** What changes while an app is in front: its own mappings first, and perhaps a mode. */
export interface ProfileInput {
	/** The name of the profile. */
	name: string;
	/** The app that the profile is for. */
	match: ProfileMatchInput;
	/** The mode to switch to when the app comes to the front. */
	mode?: string | null;
	/** Whether the profile works; if false, it only stays in the file. */
	enabled?: boolean;
	/** The mappings that work while the app is in front. */
	mappings?: MappingInput[];
}

/** What changes while an app is in front: its own mappings first, and perhaps a mode. */
export interface Profile {
	/** The name of the profile. */
	name: string;
	/** The app that the profile is for. */
	match: ProfileMatch;
	/** The mode to switch to when the app comes to the front. */
	mode: string | null;
	/** Whether the profile works; if false, it only stays in the file. */
	enabled: boolean;
	/** The mappings that work while the app is in front. */
	mappings: Mapping[];
}

export interface ProfileLine {
	id: string;
	title: string;
	kind: string;
	summary: string;
	/** Whether the profile belongs to the user. A bundled profile does not. */
	own: boolean;
}

/** Describes the app of a profile; every given field must match. */
export interface ProfileMatchInput {
	/** The bundle id of the app on macOS. */
	bundle_id?: string | null;
	/** The file name of the app's program; case does not matter. */
	executable?: string | null;
	/** A regular expression found in the window's title, of which the first 256 characters count. `(?!...)` may say what must not follow; other look-around and backreferences are not known. */
	title_regex?: string | null;
}

/** Describes the app of a profile; every given field must match. */
export interface ProfileMatch {
	/** The bundle id of the app on macOS. */
	bundle_id: string | null;
	/** The file name of the app's program; case does not matter. */
	executable: string | null;
	/** A regular expression found in the window's title, of which the first 256 characters count. `(?!...)` may say what must not follow; other look-around and backreferences are not known. */
	title_regex: string | null;
}

export interface ProfileMatchView {
	device_id: string;
	profile: string;
}

/** The profile of a device, if one is known. */
export interface ProfileView {
	profile: DeviceProfile | null;
	/** The id of the variant of the profile that the name of the port suggests. */
	variant: string;
	own: boolean;
}

export interface Profiles {
	profiles: ProfileLine[];
	/** The connected devices for which a profile is known, each with the id of that profile. */
	fits: ProfileMatchView[];
}

/** Fires when this program (0-127) is selected. */
export interface ProgramChangeTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "ProgramChange";
	/** The program. Many devices count from 1: their 1 is 0 here. */
	program: number;
}

/** Fires when this program (0-127) is selected. */
export interface ProgramChangeTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "ProgramChange";
	/** The program. Many devices count from 1: their 1 is 0 here. */
	program: number;
}

/** Everything that shows what a proposed change would do: its diff, conflicts, replay, timeline and examples. */
export interface Proof {
	diff: string;
	before_after: RowChange[];
	overlaps: Overlap[];
	warnings: string[];
	impact: Impact;
	replay: Replay | null;
	timeline: Timeline | null;
	broken_examples: ExampleResult[];
}

/** The result of testing the connection to a provider. */
export interface ProviderHealth {
	ok: boolean;
	message: string;
	latency_ms: number | null;
	failure: ChatFailure | null;
}

export interface ProviderParams {
	name: string;
}

/** The health of a model provider, sent when it answers again, fails, or fails in another way. */
export interface ProviderTopic {
	provider: string;
	health: ProviderHealth;
}

/** A model provider with its key, its health and its settings. */
export interface ProviderView {
	name: string;
	kind: "anthropic" | "openai" | "google" | "openrouter" | "litellm" | "custom";
	label: string;
	enabled: boolean;
	/** Whether the config has an entry for the provider. Otherwise the provider is only suggested. */
	written: boolean;
	/** Whether the provider is switched on and has the key that it needs. */
	usable: boolean;
	needs_key: boolean;
	has_key: boolean;
	base_url: string;
	model: string;
	usual_env: string;
	key_url: string;
	state: "off" | "locked" | "key_missing" | "key_refused" | "unreachable" | "model_missing" | "untested" | "works";
	/** Where the key of the provider is stored, or None if it has no key. */
	key_place: "keychain" | "file" | "environment" | null;
	/** The name of the environment variable that contains the key, or None. */
	key_variable: string | null;
}

export interface ProvidersView {
	/** All providers: first those that are used, in their order, then other usable ones, then the rest. */
	providers: ProviderView[];
	/** The names of the providers that are used, in the order in which they are tried. */
	order: string[];
	keys: KeysState;
}

/** Listens while held; what it hears goes into the chat. */
export interface PushToTalkAction {
	type: "PushToTalk";
}

/** A question for the user about a fact on which public sources disagree. */
export interface Question {
	about: string;
	/** What to ask the user to do: "Press pad 1". */
	ask: string;
	answers: Answer[];
	sources: string[];
}

export interface QuestionAnswerParams {
	question_id: string;
	action: "accept" | "decline" | "cancel";
	/** The data of the form if the user accepts the question, otherwise null. */
	content?: Record<string, unknown> | null;
}

export interface QuestionList {
	questions: QuestionView[];
}

/** A question that an MCP server asks the user while a tool call is in progress. */
export interface QuestionView {
	question_id: string;
	server: string;
	message: string;
	/** The form to fill in, as a JSON schema of plain fields. */
	schema: Record<string, unknown>;
	/** Warnings about fields that seem to ask for a secret. */
	warnings: string[];
	requested_at: string;
	expires_at: string;
	state: "pending" | "answered" | "withdrawn";
}

export interface ReadControllerFileParams {
	/** The name of the file, whose suffix says which program wrote it. */
	name: string;
	/** The content of the file in base64. */
	content: string;
	/** The name of the device's port. If empty, the names in the file are used. */
	port?: string;
}

export interface RecentTraces {
	/** The traces of recent events, oldest first. */
	traces: TraceView[];
	/** The failures of actions that belong to the returned traces. */
	failures: FailureTopic[];
	/** The Unix time at which the engine's clock was 0. Added to the time of an event, it gives the time of day. */
	epoch: number;
}

export interface RecentTracesParams {
	limit?: number;
}

/** A mapping that a section of a document gives as an example. */
export interface RecipeMapping {
	mapping: Mapping;
	words: RowDescription;
}

export interface RecipeMappings {
	mappings: RecipeMapping[];
}

export interface RecordingStatus {
	segments: number;
	entries: number;
	played_s: number;
	is_kept_on_disk: boolean;
	bytes_on_disk: number;
}

export interface RegenerateAnswerParams {
	message_id: string;
	provider?: string | null;
	model?: string | null;
}

export interface RejectPlanParams {
	plan_id: string;
	reason?: string;
}

/** A fact that fits no other field, such as an identity reply, a mode switch or a pitfall. */
export interface Remark {
	grade: "two_sources" | "one_source";
	/** The ids of the entries in the profile's `sources` that state the fact. */
	sources: string[];
	title: string;
	text: string;
}

/** Whether and where agents on other computers are served. */
export interface RemoteAccessStatus {
	enabled: boolean;
	/** The address for agents while they are served, or None. */
	address: string | null;
	/** The SHA-256 fingerprint of the certificate, or None if Conductor does not encrypt connections itself. */
	fingerprint: string | null;
	certificate_file: string | null;
	/** Whether Conductor made the certificate itself, so that agents must be given its file. */
	is_self_made: boolean;
	/** Why agents are not served although they should be, and what to do. */
	problem: string | null;
}

export interface RemoteGrantList {
	/** The access that the user has granted, newest first. */
	grants: RemoteGrantView[];
}

/** Access that the user has granted to an agent on another computer. */
export interface RemoteGrantView {
	grant_id: string;
	client: string;
	redirect_host: string;
	scopes: ("look" | "operate" | "propose" | "hardware" | "skills")[];
	created_at: string;
	last_used_at: string | null;
}

export interface RemoveProfileParams {
	/** The id of one of the user's own profiles; `devices.profiles` lists them. */
	profile_id: string;
}

export interface RemovedEvent {
	type: "removed";
	conversation_id: string;
}

export interface RenameConversationParams {
	conversation_id: string;
	title: string;
}

/** The renamed modes, devices and profiles, each with its old and its new name. */
export interface Renames {
	modes: Record<string, string>;
	devices: Record<string, string>;
	profiles: Record<string, string>;
}

/** Repeats an action a number of times, or until release. */
export interface RepeatActionInput {
	type: "Repeat";
	/** The action to repeat. */
	action: ActionInput;
	/** How many times the action is performed. Left out with `until_release`: no limit. */
	count?: number | null;
	/** The pause between repetitions, in milliseconds; at least 1. */
	delay_ms?: number;
	/** Whether the repetition stops when the control is released. */
	until_release?: boolean;
}

/** Repeats an action a number of times, or until release. */
export interface RepeatAction {
	type: "Repeat";
	/** The action to repeat. */
	action: Action;
	/** How many times the action is performed. Left out with `until_release`: no limit. */
	count: number | null;
	/** The pause between repetitions, in milliseconds; at least 1. */
	delay_ms: number;
	/** Whether the repetition stops when the control is released. */
	until_release: boolean;
}

/** Replaces the whole config. */
export interface ReplaceConfigInput {
	change_type: "ReplaceConfig";
	config: ConfigInput;
}

/** Replaces the whole config. */
export interface ReplaceConfig {
	change_type: "ReplaceConfig";
	config: Config;
}

/** How the outputs of the old and the new config differ for the recorded input. */
export interface Replay {
	events: number;
	seconds: number;
	/** The number of actions that fire under both configs. */
	unchanged: number;
	appear: Firing[];
	vanish: Firing[];
	/** Actions that fire at another time than before: each with its old and its new firing. */
	moved: [Firing, Firing][];
	summary: string;
	/** Whether the replay of the old config matched what really happened; False if another config was active. */
	is_checked: boolean;
	/** The part of the recording for which nothing is predicted, and why. */
	cannot_tell: string | null;
	/** The parts of the change that no replay can show, as text for the user. */
	not_covered: string[];
}

/** Who made a request: the user, the model of the chat, or another program. */
export interface Requester {
	caller: "window" | "page" | "cli" | "chat" | "mcp" | "bare" | "http" | "remote" | "pad";
	/** The name that the client gives itself; None if it gives none. */
	client: string | null;
	pid: number | null;
	executable: string | null;
	/** A digest of the command line: the executable may be only an interpreter. For a client over HTTP whose process is unknown, a digest of its session; for a client on another computer, its grant. */
	program: string | null;
	/** The conversation that a request of the chat belongs to; None for other requests. */
	conversation_id: string | null;
	/** What the user has allowed a client on another computer to do; None for all other callers, which are not limited in this way. */
	scopes: ("look" | "operate" | "propose" | "hardware" | "skills")[] | null;
}

export interface RestoreBackupParams {
	/** The content of a backup file. */
	content: string;
	/** The hash of the config that the preview was made with. */
	base_hash: string;
}

export interface RestoreMappingParams {
	id: number;
	scope: string;
	index: number;
}

export interface RestoreResult {
	hash: string;
	reason: string;
}

export interface RestoredBackup {
	hash: string;
}

export interface RevokeGrantParams {
	grant_id: string;
}

/** A mapping as it is before or after a change, with its description. */
export interface Row {
	index: number;
	mapping: Mapping;
	words: RowDescription;
}

/** One difference between two configs, such as a changed mapping. */
export interface RowChange {
	kind: "added" | "removed" | "changed" | "moved";
	/** Where the change is: `mode:<name>`, `profile:<name>`, `global`, `device:<alias>` or `settings`. */
	scope: string;
	/** The index of the mapping after the change, or before it if the mapping is removed. None if the scope itself changes. */
	index: number | null;
	before: Row | null;
	after: Row | null;
	/** A sentence that describes the change. */
	text: string;
}

/** The description of a mapping in words, with its badges and the controls that it listens to. */
export interface RowDescription {
	/** The description of the trigger. It names the control as the user does, or as printed on the device if a profile defines the name. */
	trigger: string;
	/** The numbers of the control, such as `note 41 (F1) ch 10`. Empty if `trigger` contains them. */
	numbers: string;
	/** The name printed on the control, such as `Pad 6`, if `trigger` contains the user's name of it; otherwise empty. */
	printed: string;
	action: string;
	badges: ("hold" | "double" | "chord" | "release" | "condition" | "shell" | "while_held" | "repeat" | "sequence" | "off")[];
	device: string | null;
	controls: ControlRef[];
}

/** The state of a conversation: the answer in progress, and the queued messages of the user. */
export interface RunEvent {
	type: "state";
	conversation_id: string;
	running: boolean;
	activity: "thinking" | "writing" | "calling" | "retrying" | null;
	/** The status as text for the user, such as `Trying again in 4 s: too many requests`. */
	words: string;
	step: number;
	steps: number;
	queued: string[];
	context_tokens: number;
	context_window: number;
	/** Whether the context window is nearly full, so that a summary should be offered. */
	nearly_full: boolean;
	/** The cost of the conversation so far in US dollars; None if unknown. */
	spent_usd: number | null;
	/** The cost limit of a conversation in US dollars; None if there is no limit. */
	budget_usd: number | null;
}

export interface SaveFileParams {
	name: string;
	content: string;
	encoding?: "text" | "base64";
}

export interface SaveKeyParams {
	name: string;
	/** The API key. The audit log hides parameters of this name. */
	api_key: string;
}

export interface SavePdfParams {
	name: string;
	svg: string;
}

export interface SaveProfileParams {
	/** A device profile as TOML or JSON. */
	text: string;
}

export interface SavedFile {
	/** The path of the saved file, or None if the user cancelled. */
	path: string | null;
}

/** A chunk that matches a query, with its score. */
export interface ScoredChunk {
	chunk: Chunk;
	/** The relevance of the chunk, calibrated from 0 (none) to 1 (certain). */
	score: number;
	lexical: number;
	dense: number;
	/** The stems of the query words that the chunk contains. */
	matched: string[];
	/** Whether the query names the manual of the user that contains the chunk. */
	names_source: boolean;
}

export interface SearchKnowledgeParams {
	query: string;
	limit?: number;
	domain?: "midi" | "osc" | "artnet" | "hid" | "platform" | "device" | "conductor" | "manual" | null;
}

export interface SearchQueryParams {
	query?: string;
}

export interface SearchResults {
	/** The sections that match the query, most relevant first. */
	found: ScoredChunk[];
}

/** Sends a MIDI message; any value may be `{"from":"value"}`. */
export interface SendMidiActionInput {
	type: "SendMidi";
	/** The output: its name, a part of it, or a device alias. */
	port: string;
	/** The kind of message, which uses only the fields for it. */
	message_type: "NoteOn" | "NoteOff" | "CC" | "ProgramChange" | "PitchBend" | "Aftertouch";
	/** The MIDI channel to send on. */
	channel?: number;
	/** The note of NoteOn and NoteOff. */
	note?: number | FromControlInput;
	/** The velocity of NoteOn and NoteOff. */
	velocity?: number | FromControlInput;
	/** `while_held`: a NoteOn is ended with the control's release. `start_only`: another message must end it. */
	hold?: "start_only" | "while_held";
	/** The controller number of CC. */
	controller?: number;
	/** The value of CC. */
	value?: number | FromControlInput;
	/** The program of ProgramChange. */
	program?: number | FromControlInput;
	/** The bend of PitchBend; 0 is the centre. */
	pitch?: number | FromControlInput;
	/** The pressure of Aftertouch. */
	pressure?: number | FromControlInput;
}

/** Sends a MIDI message; any value may be `{"from":"value"}`. */
export interface SendMidiAction {
	type: "SendMidi";
	/** The output: its name, a part of it, or a device alias. */
	port: string;
	/** The kind of message, which uses only the fields for it. */
	message_type: "NoteOn" | "NoteOff" | "CC" | "ProgramChange" | "PitchBend" | "Aftertouch";
	/** The MIDI channel to send on. */
	channel: number;
	/** The note of NoteOn and NoteOff. */
	note: number | FromControl;
	/** The velocity of NoteOn and NoteOff. */
	velocity: number | FromControl;
	/** `while_held`: a NoteOn is ended with the control's release. `start_only`: another message must end it. */
	hold: "start_only" | "while_held";
	/** The controller number of CC. */
	controller: number;
	/** The value of CC. */
	value: number | FromControl;
	/** The program of ProgramChange. */
	program: number | FromControl;
	/** The bend of PitchBend; 0 is the centre. */
	pitch: number | FromControl;
	/** The pressure of Aftertouch. */
	pressure: number | FromControl;
}

/** A message that the user sends, with options for its answer. Without a conversation id, it begins a new conversation. */
export interface SendRequest {
	conversation_id?: string | null;
	parts: (TextPartInput | ImagePart | FilePart | MentionPart)[];
	/** The parent message. Left out: the last displayed message. */
	parent_id?: string | null;
	provider?: string | null;
	model?: string | null;
}

/** The result of sending a message: the ids of the message and of its answer, or that it was queued. */
export interface SendResult {
	conversation_id: string;
	/** The id of the user's message; None while it is queued. */
	user_message_id: string | null;
	/** The id of the answer that has begun; None while the message is queued. */
	message_id: string | null;
	/** True if another answer is in progress, after which the message will be sent. */
	queued: boolean;
}

/** Performs actions one after another; stops if one fails. */
export interface SequenceActionInput {
	type: "Sequence";
	/** The actions to perform, in this order. */
	actions: ActionInput[];
}

/** Performs actions one after another; stops if one fails. */
export interface SequenceAction {
	type: "Sequence";
	/** The actions to perform, in this order. */
	actions: Action[];
}

export interface ServerConsentParams {
	name: string;
	/** The digest of the entry that the user saw. The consent applies to this entry only. */
	digest: string;
}

export interface ServerEnableParams {
	name: string;
	enabled: boolean;
}

export interface ServerEntryParams {
	name: string;
	/** The entry of the server in the `mcpServers` format. In an update, null in `env` or `headers` keeps the saved value. */
	entry: Record<string, unknown>;
}

/** Reports a change of an MCP server: its new status, or None if it was removed. */
export interface ServerEvent {
	name: string;
	server: ServerView | null;
}

export interface ServerImportParams {
	client: string;
	names: string[];
	/** Whether to replace existing servers of the same name. */
	replace?: boolean;
}

export interface ServerLog {
	lines: string[];
}

export interface ServerParams {
	name: string;
}

/** The result of a test of an MCP server. */
export interface ServerTested {
	ok: boolean;
	/** What the test has shown and what to do next, as text for the user. */
	words: string;
	took_ms: number;
	server: ServerView;
}

/** A tool of an MCP server, with the user's decision about it. */
export interface ServerToolView {
	name: string;
	/** The name of the tool in Settings > Assistant tools, such as `mcp:time:get_current_time`. */
	skill_id: string;
	title: string;
	description: string;
	enabled: boolean;
	/** Whether the tool is off for the assistant only because Integrations are off in the settings. */
	off_by_kind: boolean;
	state: "ok" | "changed" | "new";
	requires_approval: boolean;
	/** The digest of the tool as it is shown, which must be sent back when the user accepts a change of it. */
	digest: string;
	/** The JSON schema of the tool's arguments. */
	parameters: Record<string, unknown>;
	/** Whether the tool has a page of its own to display its results. */
	has_app: boolean;
	/** What has changed since the user accepted the tool, as a diff; None if nothing has. */
	changes: string | null;
	/** Why the tool cannot be used; None if it can. */
	problem: string | null;
	/** Warnings for the user to read before using the tool. */
	warnings: string[];
}

/** A server in `mcp.json`, with its status. */
export interface ServerView {
	name: string;
	transport: "stdio" | "http";
	/** The program as written in `mcp.json`, with `${NAME}` for environment variables. */
	command: string | null;
	args: string[];
	cwd: string | null;
	env_names: string[];
	url: string | null;
	header_names: string[];
	/** The full path of the program; None for a server that is reached over HTTP. */
	program: string | null;
	/** Whether the server may run, because it is listed in `skills.servers` and not `disabled` in `mcp.json`. */
	enabled: boolean;
	/** Whether the user has agreed to start the server exactly as this entry says. */
	consented: boolean;
	/** The digest of the entry as it is shown, which must be sent back with the user's consent. */
	digest: string;
	state: "off" | "needs_consent" | "starting" | "ready" | "failed" | "stopped" | "sign_in";
	problem: string | null;
	/** Warnings for the user to read before agreeing to start the server. */
	advice: string[];
	/** The parts of the entry that have no effect, each with the reason. */
	notes: string[];
	/** The MCP protocol version of the server. */
	era: string | null;
	version: string | null;
	server_title: string | null;
	instructions: string | null;
	tools: ServerToolView[];
	resources: number;
	prompts: number;
	started_at: string | null;
	sign_in: "none" | "needed" | "more" | "waiting" | "done";
	/** The address that the browser opens for a sign-in that is in progress; None if it is not known yet. */
	sign_in_address: string | null;
}

/** All servers in `mcp.json`, and whether the file can be read. */
export interface ServersView {
	servers: ServerView[];
	/** The path of `mcp.json`. */
	path: string;
	/** Why the file cannot be read; `servers` then has its previous content. None if there is no problem. */
	problem: string | null;
}

export interface SetAbilityParams {
	skill_id: string;
	/** True or False turns the skill on or off. With null, the skill follows the setting of its tier. */
	enabled: boolean | null;
}

export interface SetConversationModelParams {
	conversation_id: string;
	provider: string;
	/** The name of the model, or null for the default model of the provider. */
	model?: string | null;
}

export interface SetPrefsParams {
	/** The preferences to set. Null deletes a preference. */
	patch: Record<string, unknown>;
}

export interface SetServerToolParams {
	server: string;
	tool: string;
	enabled: boolean;
}

export interface SetTierParams {
	tier: "core" | "enhanced" | "network" | "integration";
	enabled: boolean;
}

/** Sets a variable; conditions can test it. */
export interface SetVariableActionInput {
	type: "SetVariable";
	/** The name of the variable. */
	name: string;
	/** The value to set or add; from a control, 0 to 127. */
	value?: boolean | number | string | FromControlInput;
	/** Whether the value is set, added, or the variable toggled. */
	operation?: "set" | "add" | "toggle";
}

/** Sets a variable; conditions can test it. */
export interface SetVariableAction {
	type: "SetVariable";
	/** The name of the variable. */
	name: string;
	/** The value to set or add; from a control, 0 to 127. */
	value: boolean | number | string | FromControl;
	/** Whether the value is set, added, or the variable toggled. */
	operation: "set" | "add" | "toggle";
}

export interface SettingsInput {
	engine?: EngineSettingsInput;
	ui?: UiSettingsInput;
	learn?: LearnSettingsInput;
	/** Push-to-talk: how speech is recognised. */
	voice?: VoiceSettingsInput;
	/** Your own names for controls, by the alias of their device (`virtual`: the built-in controller) and by their message: `[settings.names.pads]` with `"note 41" = "Kick"`. */
	names?: Record<string, Record<string, string>>;
}

export interface Settings {
	engine: EngineSettings;
	ui: UiSettings;
	learn: LearnSettings;
	/** Push-to-talk: how speech is recognised. */
	voice: VoiceSettings;
	/** Your own names for controls, by the alias of their device (`virtual`: the built-in controller) and by their message: `[settings.names.pads]` with `"note 41" = "Kick"`. */
	names: Record<string, Record<string, string>>;
}

/** Runs a program with arguments; off until `settings.engine.allow_shell` is true. */
export interface ShellActionInput {
	type: "Shell";
	/** The program and its arguments. A `command` text is split as a shell would, but no shell runs. */
	argv: string[];
	/** The time limit in seconds, after which the program is terminated. */
	timeout_s?: number;
}

/** Runs a program with arguments; off until `settings.engine.allow_shell` is true. */
export interface ShellAction {
	type: "Shell";
	/** The program and its arguments. A `command` text is split as a shell would, but no shell runs. */
	argv: string[];
	/** The time limit in seconds, after which the program is terminated. */
	timeout_s: number;
}

/** A message of a conversation, with its siblings in the tree of messages. */
export interface ShownMessage {
	message: ChatMessage;
	/** The ids of all messages with the same parent, including this one, oldest first. The user can switch between them. */
	siblings: string[];
}

/** The address for a sign-in, which the user sees before the browser opens it. */
export interface SignInRequest {
	host: string;
	address: string;
	/** The number of seconds that the user has for the sign-in. */
	within_s: number;
}

export interface SkillFile {
	path: string;
	size_bytes: number;
}

export interface SkillFileParams {
	name: string;
	path: string;
}

export interface SkillFileText {
	text: string;
}

export interface SkillParams {
	name: string;
}

export interface SkillText {
	skill: SkillView;
	/** The Markdown text that the model receives when the skill is used. */
	text: string;
	/** The other files of the skill, which the model can read. */
	files: SkillFile[];
}

/** Which kinds of abilities the assistant may use. */
export interface SkillTiersInput {
	/** Tools that need no access: calculator, notes, tasks, memory. */
	core?: boolean;
	/** Tools that need more of this computer: files of folders that you grant, code in a sandbox. */
	enhanced?: boolean;
	/** Tools that use the internet: web search, web pages. */
	network?: boolean;
	/** Tools of other programs and services: tools of MCP servers. */
	integration?: boolean;
}

/** Which kinds of abilities the assistant may use. */
export interface SkillTiers {
	/** Tools that need no access: calculator, notes, tasks, memory. */
	core: boolean;
	/** Tools that need more of this computer: files of folders that you grant, code in a sandbox. */
	enhanced: boolean;
	/** Tools that use the internet: web search, web pages. */
	network: boolean;
	/** Tools of other programs and services: tools of MCP servers. */
	integration: boolean;
}

export interface SkillView {
	name: string;
	description: string;
	origin: "conductor" | "user";
	/** Where the skill was installed from, such as `github:owner/repository/path`. None for a skill that was not installed. */
	source: string | null;
	installed_at: string | null;
	folder: string;
	enabled: boolean;
}

export interface Skills {
	skills: SkillView[];
	/** The folders in which no valid skill was found. */
	broken: UnreadableSkill[];
}

export interface SkillsSettingsInput {
	/** The only Agent Skills that are used. Left out: all. */
	enabled?: string[] | null;
	/** Agent Skills that are never used. */
	disabled?: string[];
	tiers?: SkillTiersInput;
	/** Single abilities that are on or off regardless of their tier, such as `calculator`, `mcp:time:now`. */
	tools?: Record<string, boolean>;
	/** The MCP servers of `mcp.json` that may be started, by name. */
	servers?: string[];
	/** The folders whose files the assistant may read. */
	folders?: string[];
	/** The address of a SearXNG server for web search. Empty: public search engines. */
	search_url?: string;
}

export interface SkillsSettings {
	/** The only Agent Skills that are used. Left out: all. */
	enabled: string[] | null;
	/** Agent Skills that are never used. */
	disabled: string[];
	tiers: SkillTiers;
	/** Single abilities that are on or off regardless of their tier, such as `calculator`, `mcp:time:now`. */
	tools: Record<string, boolean>;
	/** The MCP servers of `mcp.json` that may be started, by name. */
	servers: string[];
	/** The folders whose files the assistant may read. */
	folders: string[];
	/** The address of a SearXNG server for web search. Empty: public search engines. */
	search_url: string;
}

/** The number of events that were dropped because the page was too slow. */
export interface SkippedTopic {
	count: number;
}

/** The name and description of a slash command, for `/help` and for completion while the user types. */
export interface SlashCommand {
	/** The name of the command, including the slash. */
	name: string;
	/** The arguments that follow the name, with placeholders such as `<mode>`. */
	usage: string;
	help: string;
	examples: string[];
}

export interface SlashCommands {
	commands: SlashCommand[];
}

/** A source of facts about a device. */
export interface Source {
	id: string;
	title: string;
	url: string | null;
	/** The vendor's file or manual, another program's data, texts by users, or a recording on this computer. */
	kind: "maker" | "software" | "community" | "measured";
	licence: string | null;
}

export interface SourceList {
	sources: KnowledgeSource[];
}

export interface SpeechHeard {
	text: string;
	/** What to send to the assistant: the text, or a slash command for the name that was said. */
	message: string;
	/** What the page does with the message: nothing, send it, or put it into the message field. */
	outcome: "performed" | "send" | "draft";
}

export interface StartLearningParams {
	/** Whether mappings are paused until the session is stopped, or until the page no longer polls. */
	is_silent?: boolean;
}

export interface Statistics {
	events_processed: number;
	actions_executed: number;
}

/** The status of the app, as the tool `conductor_get_status` returns it. */
export interface Status {
	lifecycle_state: string;
	connected: boolean;
	uptime_secs: number;
	statistics: Statistics;
	version: string;
	demo: boolean;
	mode: string;
	profile: string | null;
	app_in_front: string[] | null;
	mappings: number;
	paused: boolean;
	held_keys: string[];
	failures: Record<string, unknown>[];
	problems: string[];
	notices: string[];
	config: ConfigStatus;
	engine: EngineStatus;
	devices: DeviceView[];
	device: Record<string, unknown> | null;
}

/** The state of the engine, sent whenever any of these values changes. */
export interface StatusTopic {
	mode: string;
	profile: string | null;
	muted: string[];
	paused: boolean;
	engine_running: boolean;
	held_keys: string[];
	modes: string[];
}

/** One step in the explanation of a trace, such as the event, the active mode, or the verdict on a mapping. */
export interface Step {
	title: string;
	text: string;
	/** Whether the step succeeded. None if it is neither, such as a press whose gesture is still undecided. */
	ok: boolean | null;
	/** The numbers in the text, which the page highlights. */
	numbers: number[];
}

export interface Suggestions {
	suggestions: string[];
}

export interface SwitchModeParams {
	mode: string;
}

/** Fires on a message with these bytes; `??` is any byte, a final `*` any rest. */
export interface SysexTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "Sysex";
	/** Bytes as hex pairs; F0 and F7 are added when they are missing. */
	pattern: string;
}

/** Fires on a message with these bytes; `??` is any byte, a final `*` any rest. */
export interface SysexTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "Sysex";
	/** Bytes as hex pairs; F0 and F7 are added when they are missing. */
	pattern: string;
}

/** When a tap acts that waits for a hold or a second tap. */
export interface TapWait {
	/** Whether it acts when the control is released, if not later. */
	until_release: boolean;
	/** The shortest time from the press until it acts, in milliseconds. */
	delay_ms: number;
}

export interface TestActionParams {
	action: ActionInput;
}

/** Types a text into the focused window. */
export interface TextAction {
	type: "Text";
	/** The text to type. */
	text: string;
}

export interface TextPartInput {
	type: "text";
	text: string;
	origin?: OriginInput | null;
}

export interface TextPart {
	type: "text";
	text: string;
	origin: Origin | null;
}

/** The reasoning of the model, which is sent back only to the provider that produced it. */
export interface ThinkingPart {
	type: "thinking";
	text: string;
	origin: Origin | null;
}

export interface TierView {
	tier: "core" | "enhanced" | "network" | "integration";
	title: string;
	description: string;
	enabled: boolean;
}

/** The local time is between `start` and `end`, both HH:MM; past midnight when start is later. */
export interface TimeRange {
	type: "TimeRange";
	/** The first minute of the range, such as `09:00`. */
	start: string;
	/** The last minute of the range, such as `17:30`. */
	end: string;
}

/** A range of minutes on some weekdays. A saved example must pass at each of these times. */
export interface TimeSpan {
	days: number[];
	first: number;
	last: number;
}

/** The recorded input events, with the mappings that fire before and after a change. */
export interface Timeline {
	duration_ms: number;
	inputs: TimelineEvent[];
	old: TimelineFiring[];
	new: TimelineFiring[];
	/** How many other input events are not shown. */
	left_out: number;
}

/** A recorded input event in the timeline of a proof. */
export interface TimelineEvent {
	time_ms: number;
	device: string;
	text: string;
	/** The position of the event in the timeline, counted from 0. */
	sequence: number;
}

/** A mapping that fires in the timeline of a proof, under the config before or after the change. */
export interface TimelineFiring {
	time_ms: number;
	scope: string;
	index: number;
	text: string;
	action: ActionInput;
	/** The `sequence` of the input event that fired the mapping. */
	source: number | null;
	change: "same" | "appears" | "vanishes" | "moves";
}

export interface ToggleSkillParams {
	name: string;
	enabled: boolean;
}

export interface ToggleSourceParams {
	/** The id of a document, the name of a domain such as `midi`, or a platform such as `platform:macos`. */
	source_id: string;
	enabled: boolean;
}

/** A complete tool call by the model. `call_id` is chosen by Conductor and valid for every provider. */
export interface ToolCallPart {
	type: "tool_call";
	call_id: string;
	tool: string;
	arguments: Record<string, unknown>;
	/** The arguments as text if they are not a JSON object; otherwise None. */
	malformed: string | null;
	origin: Origin | null;
}

/** The result of a tool call. Every call has one, also if it was denied, cancelled or failed. */
export interface ToolResultPart {
	type: "tool_result";
	call_id: string;
	tool: string;
	ok: boolean;
	/** The result as JSON, or an error message, as the model receives it. */
	content: string;
	/** The id of the plan that the call has created; None if it created none. */
	plan_id: string | null;
	/** The code of the error if the call failed. In messages of older versions it is always None. */
	code: string | null;
	duration_ms: number;
}

/** The engine's record of one event: the candidate mappings, what they did, and why. */
export interface TraceView {
	sequence: number;
	event: EventView;
	mode: string;
	profile: string | null;
	outcome: "fired" | "mode" | "waiting" | "unmatched" | "released" | "info";
	candidates: CandidateView[];
	effects: EffectView[];
	note: string | null;
	/** The sequence number of the trace with the press that this trace continues; 0 if there is none. */
	gesture: number;
	/** The mode that the decision activated, or null if the mode stayed the same. */
	new_mode: string | null;
	/** A description of the event. */
	text: string;
	/** How many events were merged into this trace, which shows the last of them. */
	count: number;
}

export type TriggerInput = NoteTriggerInput | VelocityRangeTriggerInput | LongPressTriggerInput | DoubleTapTriggerInput | NoteChordTriggerInput | NoteReleaseTriggerInput | CCTriggerInput | EncoderTurnTriggerInput | AftertouchTriggerInput | PitchBendTriggerInput | ProgramChangeTriggerInput | NrpnTriggerInput | SysexTriggerInput | GamepadButtonTriggerInput | GamepadButtonChordTriggerInput | GamepadAnalogStickTriggerInput | GamepadTriggerTriggerInput | OscMessageTriggerInput;

export type Trigger = NoteTrigger | VelocityRangeTrigger | LongPressTrigger | DoubleTapTrigger | NoteChordTrigger | NoteReleaseTrigger | CCTrigger | EncoderTurnTrigger | AftertouchTrigger | PitchBendTrigger | ProgramChangeTrigger | NrpnTrigger | SysexTrigger | GamepadButtonTrigger | GamepadButtonChordTrigger | GamepadAnalogStickTrigger | GamepadTriggerTrigger | OscMessageTrigger;

/** Settings of the window. */
export interface UiSettingsInput {
	/** The colours of the window. */
	theme?: "system" | "light" | "dark";
	/** The language of the window. `system`: that of the system, or English if Conductor does not speak it. */
	language?: "system" | "en" | "de";
	/** Whether closing the window leaves Conductor running. */
	close_to_tray?: boolean;
	/** Whether Conductor starts when you log in. */
	start_at_login?: boolean;
	/** The name of middle C (note 60). */
	note_names?: "C3" | "C4";
}

/** Settings of the window. */
export interface UiSettings {
	/** The colours of the window. */
	theme: "system" | "light" | "dark";
	/** The language of the window. `system`: that of the system, or English if Conductor does not speak it. */
	language: "system" | "en" | "de";
	/** Whether closing the window leaves Conductor running. */
	close_to_tray: boolean;
	/** Whether Conductor starts when you log in. */
	start_at_login: boolean;
	/** The name of middle C (note 60). */
	note_names: "C3" | "C4";
}

export interface UndonePlanIds {
	plan_ids: string[];
}

export interface UnqueueMessageParams {
	conversation_id: string;
	index: number;
}

export interface UnreadableSkill {
	name: string;
	problem: string;
}

/** Changes the given parts of a device; references to its alias are updated. */
export interface UpdateDeviceInput {
	change_type: "UpdateDevice";
	alias: string;
	new_alias?: string | null;
	matchers?: MatcherInput[] | null;
	/** The new description; an empty text removes it. */
	description?: string | null;
	enabled?: boolean | null;
}

/** Changes the given parts of a device; references to its alias are updated. */
export interface UpdateDevice {
	change_type: "UpdateDevice";
	alias: string;
	new_alias: string | null;
	matchers: Matcher[] | null;
	/** The new description; an empty text removes it. */
	description: string | null;
	enabled: boolean | null;
}

/** Changes the given parts of a mapping. */
export interface UpdateMappingInput {
	/** The mode that contains it. Without `mode` and `profile`: the mappings of all modes. */
	mode?: string | null;
	profile?: string | null;
	change_type: "UpdateMapping";
	index: number;
	trigger?: TriggerInput | null;
	action?: ActionInput | null;
	/** The new description; an empty text removes it. */
	description?: string | null;
	enabled?: boolean | null;
}

/** Changes the given parts of a mapping. */
export interface UpdateMapping {
	/** The mode that contains it. Without `mode` and `profile`: the mappings of all modes. */
	mode: string | null;
	profile: string | null;
	change_type: "UpdateMapping";
	index: number;
	trigger: Trigger | null;
	action: Action | null;
	/** The new description; an empty text removes it. */
	description: string | null;
	enabled: boolean | null;
}

/** Renames or recolours a mode; references to its name are updated. */
export interface UpdateModeInput {
	change_type: "UpdateMode";
	name: string;
	new_name?: string | null;
	/** The new colour; an empty text removes it. */
	color?: string | null;
}

/** Renames or recolours a mode; references to its name are updated. */
export interface UpdateMode {
	change_type: "UpdateMode";
	name: string;
	new_name: string | null;
	/** The new colour; an empty text removes it. */
	color: string | null;
}

/** Changes the given parts of a profile. */
export interface UpdateProfileInput {
	change_type: "UpdateProfile";
	name: string;
	new_name?: string | null;
	match?: ProfileMatchInput | null;
	/** The mode that the profile switches to; an empty text removes it. */
	mode?: string | null;
	enabled?: boolean | null;
}

/** Changes the given parts of a profile. */
export interface UpdateProfile {
	change_type: "UpdateProfile";
	name: string;
	new_name: string | null;
	match: ProfileMatch | null;
	/** The mode that the profile switches to; an empty text removes it. */
	mode: string | null;
	enabled: boolean | null;
}

/** Changes the settings that are given: `{"engine": {"allow_shell": true}}`; null: default. Sections are engine, ui and learn of `[settings]`, and llm, knowledge and skills. */
export interface UpdateSettings {
	change_type: "UpdateSettings";
	settings: Record<string, unknown>;
}

/** The next part of a file. */
export interface UploadPartParams {
	/** An id that the page has chosen for this file. */
	upload_id: string;
	/** The number of bytes before this part. */
	offset: number;
	/** The part in base64. */
	content: string;
}

/** The number of tokens that one or more requests used, and their cost. */
export interface Usage {
	requests: number;
	/** The number of all input tokens, including those read from the cache and written to it. */
	input_tokens: number;
	cache_read_tokens: number;
	cache_write_tokens: number;
	output_tokens: number;
	/** The cost in US dollars; None if the price is unknown. */
	cost_usd: number | null;
	cost_from: "provider" | "prices" | null;
}

export interface UsageParams {
	days?: number;
}

export interface UsageView {
	today_usd: number;
	costs: Costs;
	/** The first day of the summary, such as `2026-11-21`. */
	first_day: string;
	last_day: string;
	/** When the user downloaded the prices in use, or None if they came with Conductor. */
	prices_updated_at: string | null;
}

/** The USB vendor and product numbers of the device. */
export interface UsbId {
	grade: "two_sources" | "one_source";
	/** The ids of the entries in the profile's `sources` that state the fact. */
	sources: string[];
	vendor_id: number;
	product_id: number;
}

/** Matches the USB vendor and product ids of the device. They are known for gamepads and for ports of ALSA, CoreMIDI and Windows, but not for ports of JACK, of Bluetooth or of other programs. */
export interface UsbIdentifierInput {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence?: number | null;
	type: "UsbIdentifier";
	/** The vendor, such as 0x17CC for Native Instruments. */
	vendor_id: number;
	/** The vendor's number of the model. */
	product_id: number;
}

/** Matches the USB vendor and product ids of the device. They are known for gamepads and for ports of ALSA, CoreMIDI and Windows, but not for ports of JACK, of Bluetooth or of other programs. */
export interface UsbIdentifier {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence: number | null;
	type: "UsbIdentifier";
	/** The vendor, such as 0x17CC for Native Instruments. */
	vendor_id: number;
	/** The vendor's number of the model. */
	product_id: number;
}

/** Matches a device that is plugged into this USB port, such as `1-2.4`. */
export interface UsbTopologyInput {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence?: number | null;
	type: "UsbTopology";
	/** The path of USB ports from the computer to the device. */
	pattern: string;
}

/** Matches a device that is plugged into this USB port, such as `1-2.4`. */
export interface UsbTopology {
	/** Which of several identical units: 1 is the first. Left out: any. */
	occurrence: number | null;
	type: "UsbTopology";
	/** The path of USB ports from the computer to the device. */
	pattern: string;
}

/** Compares a variable with a value. A variable never set is false, 0 and empty. */
export interface VariableIsInput {
	type: "VariableIs";
	/** The name of the variable. */
	name: string;
	/** How the variable is compared with `value`. */
	operator?: "==" | "!=" | "<" | "<=" | ">" | ">=";
	/** The value to compare with. */
	value?: boolean | number | string;
}

/** Compares a variable with a value. A variable never set is false, 0 and empty. */
export interface VariableIs {
	type: "VariableIs";
	/** The name of the variable. */
	name: string;
	/** How the variable is compared with `value`. */
	operator: "==" | "!=" | "<" | "<=" | ">" | ">=";
	/** The value to compare with. */
	value: boolean | number | string;
}

/** The messages that the device sends in one program, mode, port or firmware. */
export interface Variant {
	id: string;
	name: string;
	/** When the variant applies, and how the user selects it: "PROGRAM 1, the factory default". */
	when: string;
	/** A part of the name of the variant's port, if the device has several ports. */
	port: string | null;
	/** The messages that switch the device to this variant, such as Programmer mode. */
	setup: string[];
	/** The messages that switch the device back from this variant. */
	restore: string[];
	firmware: string | null;
	groups: Group[];
}

/** Fires on a strike with a velocity in the range; use several for velocity layers. */
export interface VelocityRangeTriggerInput {
	/** Only from the device with this alias. Left out: from any. */
	device?: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel?: number | null;
	/** Conditions that must all hold. */
	when?: ConditionInput[];
	type: "VelocityRange";
	/** The number of the note. */
	note: number;
	/** The lowest velocity in the range. */
	min_velocity?: number;
	/** The highest velocity in the range. */
	max_velocity?: number;
}

/** Fires on a strike with a velocity in the range; use several for velocity layers. */
export interface VelocityRangeTrigger {
	/** Only from the device with this alias. Left out: from any. */
	device: string | null;
	/** Only on this MIDI channel. Left out: on any. */
	channel: number | null;
	/** Conditions that must all hold. */
	when: Condition[];
	type: "VelocityRange";
	/** The number of the note. */
	note: number;
	/** The lowest velocity in the range. */
	min_velocity: number;
	/** The highest velocity in the range. */
	max_velocity: number;
}

export interface VersionList {
	versions: VersionRow[];
}

export interface VersionParams {
	id: number;
}

export interface VersionRow {
	id: number;
	made_at: string;
	reason: string;
	kind: "start" | "file" | "restore" | "edit" | "plan";
	hash: string;
	is_current: boolean;
	/** Whether the version was undone. Redo restores it, until another change is made. */
	is_undone: boolean;
	/** What can be done with the version: undo it, if it is the current one; redo it; or restore it, unless its config is the current one. */
	way: "undo" | "redo" | "restore" | null;
	/** The differences between this version and the one before it. */
	summary: string[];
	/** The program or person that made the version, or null if the config file was edited directly. */
	author: Requester | null;
	/** The names of the saved examples that fail since this version. */
	broke: string[];
}

export interface VersionView {
	text: string;
	/** All mappings of this version, by scope. */
	rows: Record<string, Row[]>;
	/** The mode that replaces the active one if this version is restored and does not have it. */
	start_mode: string;
	/** The differences between the version that this one was made from and this version. */
	changes: RowChange[];
	/** The same differences as a text. */
	changes_diff: string;
	/** The diff from the running config, or the other version, to this version. */
	diff: string;
	before_after: RowChange[];
}

export interface VirtualControl {
	name: string;
	label: string;
	kind: "pad" | "knob" | "fader" | "button";
	control_class: "note" | "cc" | "nrpn" | "rpn" | "poly_pressure" | "channel_pressure" | "pitch_bend" | "program_change" | "sysex" | "button" | "axis" | "gamepad_trigger" | "osc";
	number: number;
	channel: number;
	/** The row within the group of the control; 0 is the top row. */
	row: number;
	col: number;
}

export interface VirtualLayout {
	device: string;
	controls: VirtualControl[];
}

/** How speech is recognised while a `PushToTalk` control or the microphone button of the chat is held. */
export interface VoiceSettingsInput {
	/** Whether the names of mappings and modes are recognised, on this computer. They are read as English. */
	names?: boolean;
	/** Whether a recognised name acts at once. Off: it becomes a plan in the chat, which you apply. */
	act_at_once?: boolean;
	/** What turns other speech into text. `provider`: a model provider, which receives the recording. `server`: the server in `server`. */
	transcription?: "off" | "provider" | "server";
	/** The name of the provider that transcribes. Left out: the first one that can. */
	provider?: string | null;
	/** The address of a server with OpenAI's transcription API, such as `http://127.0.0.1:8000/v1`. */
	server?: string;
	/** The model that transcribes, as the provider or the server names it. */
	model?: string;
	/** The language that you speak, such as `de`. Empty: the model finds out. */
	language?: string;
	/** Whether what was heard is sent to the assistant at once. Off: it waits in the message field. */
	send?: boolean;
	/** The name of the microphone, or a part of it. Empty: the default microphone of the system. */
	microphone?: string;
	/** The longest recording, in seconds; then the microphone is closed even if the control is still held. */
	limit_s?: number;
}

/** How speech is recognised while a `PushToTalk` control or the microphone button of the chat is held. */
export interface VoiceSettings {
	/** Whether the names of mappings and modes are recognised, on this computer. They are read as English. */
	names: boolean;
	/** Whether a recognised name acts at once. Off: it becomes a plan in the chat, which you apply. */
	act_at_once: boolean;
	/** What turns other speech into text. `provider`: a model provider, which receives the recording. `server`: the server in `server`. */
	transcription: "off" | "provider" | "server";
	/** The name of the provider that transcribes. Left out: the first one that can. */
	provider: string | null;
	/** The address of a server with OpenAI's transcription API, such as `http://127.0.0.1:8000/v1`. */
	server: string;
	/** The model that transcribes, as the provider or the server names it. */
	model: string;
	/** The language that you speak, such as `de`. Empty: the model finds out. */
	language: string;
	/** Whether what was heard is sent to the assistant at once. Off: it waits in the message field. */
	send: boolean;
	/** The name of the microphone, or a part of it. Empty: the default microphone of the system. */
	microphone: string;
	/** The longest recording, in seconds; then the microphone is closed even if the control is still held. */
	limit_s: number;
}

export interface VoiceStatus {
	/** Why nothing that is said can be recognised, and what to do; empty if it can. */
	problem: string;
	/** Why the microphone could not be opened last, and what to do; empty if it opened. */
	microphone_problem: string;
}

/** Whether the microphone is open, and what was heard when it was closed. */
export interface VoiceTopic {
	state: "idle" | "opening" | "listening" | "recognizing";
	/** The name of the mapping whose control is or was held; empty for the button in the chat. */
	by: string;
	/** What was heard; only in the event after the microphone was closed. */
	text: string;
	/** What happened to the text. `waiting`: it waits in the message field of the chat. */
	outcome: "none" | "sent" | "performed" | "waiting" | "failed";
	/** The message for the chat, or the reason of a failure. */
	message: string;
	/** The conversation to which the message was sent. */
	conversation_id: string | null;
}

/** Changes the volume: Up and Down by `value` percent (5), Set to `value` percent or the control's. */
export interface VolumeControlActionInput {
	type: "VolumeControl";
	/** How the volume changes. */
	operation: "Up" | "Down" | "Mute" | "Unmute" | "Toggle" | "Set";
	/** The percentage. Left out with Set: the control's own value. */
	value?: number | FromControlInput | null;
}

/** Changes the volume: Up and Down by `value` percent (5), Set to `value` percent or the control's. */
export interface VolumeControlAction {
	type: "VolumeControl";
	/** How the volume changes. */
	operation: "Up" | "Down" | "Mute" | "Unmute" | "Toggle" | "Set";
	/** The percentage. Left out with Set: the control's own value. */
	value: number | FromControl | null;
}

export interface WatchEventsParams {
	on: boolean;
}

/** The reason why a mapping did not fire. */
export interface WhyNot {
	kind: "muted" | "paused" | "dropped" | "too_short" | "too_long" | "no_second_press" | "half_chord" | "prior_idle" | "quick_tap" | "other_press" | "in_order" | "release_alone" | "disabled" | "channel" | "device" | "mode" | "profile" | "condition" | "velocity" | "value" | "edge" | "direction" | "dead_zone" | "first_value" | "chord_consumed" | "other_gesture" | "shadowed" | "no_effect" | "chord_complete" | "other";
	/** The description of the mapping or, if it has none, its place. */
	mapping: string;
	/** The name of the mapping for users, such as `Undo, mapping 2 of mode Default`. */
	name: string;
	/** Where the mapping is: `mode:<name>`, `profile:<name>` or `global`. */
	scope: string;
	index: number;
	/** The reason as a sentence, such as `held 300 ms, long press needs 400 ms`. */
	text: string;
	/** What to do so that the mapping fires. Empty without advice. */
	what_would_change: string;
}

export interface WindowPrefs {
	prefs: Record<string, unknown>;
}

/** Every command with its parameters and result. */
export interface Commands {
	"a2a.status": { params: Empty; result: A2aStatus };
	"abilities.folder": { params: FolderAccessParams; result: Abilities };
	"abilities.list": { params: Empty; result: Abilities };
	"abilities.set": { params: SetAbilityParams; result: Abilities };
	"abilities.set_tier": { params: SetTierParams; result: Abilities };
	"actions.test": { params: TestActionParams; result: Empty };
	"activity.export": { params: ActivityExportParams; result: ExportedActivity };
	"activity.list": { params: ActivityParams; result: ActivityPage };
	"app.hello": { params: Empty; result: Hello };
	"app.hide": { params: Empty; result: Empty };
	"app.quit": { params: Empty; result: Empty };
	"app.status": { params: Empty; result: Status };
	"approvals.decide": { params: DecideApprovalParams; result: ApprovalView };
	"approvals.list": { params: Empty; result: ApprovalList };
	"apps.call": { params: AppToolCallParams; result: AppRequestResult };
	"apps.front": { params: Empty; result: ForegroundApps };
	"apps.installed": { params: Empty; result: InstalledApps };
	"apps.open": { params: OpenAppParams; result: OpenedApp };
	"apps.read": { params: AppResourceParams; result: AppRequestResult };
	"backup.make": { params: Empty; result: BackupFile };
	"backup.preview": { params: BackupParams; result: BackupPreview };
	"backup.restore": { params: RestoreBackupParams; result: RestoredBackup };
	"chat.attach": { params: AttachFileParams; result: AttachedFile };
	"chat.branch": { params: ChooseBranchParams; result: ChatView };
	"chat.commands": { params: Empty; result: SlashCommands };
	"chat.compact": { params: ConversationParams; result: Empty };
	"chat.conversations": { params: ListConversationsParams; result: Conversations };
	"chat.delete": { params: ConversationParams; result: Empty };
	"chat.edit": { params: EditMessageParams; result: SendResult };
	"chat.export": { params: ExportConversationParams; result: ExportedConversation };
	"chat.mentions": { params: SearchQueryParams; result: Mentions };
	"chat.older": { params: ListOlderMessagesParams; result: OlderMessages };
	"chat.open": { params: OpenConversationParams; result: ChatView };
	"chat.regenerate": { params: RegenerateAnswerParams; result: SendResult };
	"chat.rename": { params: RenameConversationParams; result: Empty };
	"chat.resume": { params: MessageParams; result: Empty };
	"chat.send": { params: SendRequest; result: SendResult };
	"chat.set_model": { params: SetConversationModelParams; result: Empty };
	"chat.stop": { params: ConversationParams; result: Empty };
	"chat.suggestions": { params: Empty; result: Suggestions };
	"chat.unqueue": { params: UnqueueMessageParams; result: Empty };
	"code.begin": { params: BeginCodeParams; result: BeginCodeResult };
	"code.done": { params: CodeResultParams; result: CodeResultReceipt };
	"code.ready": { params: Empty; result: Empty };
	"config.commit": { params: CommitChangesParams; result: CommitResult };
	"config.describe": { params: DescribeDraftParams; result: RowDescription };
	"config.get": { params: Empty; result: ConfigView };
	"config.missing": { params: MissingParams; result: MissingPartList };
	"config.preview": { params: PreviewChangesParams; result: Proof };
	"config.redo": { params: Empty; result: HistoryStepResult };
	"config.undo": { params: Empty; result: HistoryStepResult };
	"desktop.access": { params: Empty; result: DesktopAccess };
	"desktop.ask": { params: Empty; result: Empty };
	"desktop.install_extension": { params: Empty; result: ExtensionInstalled };
	"desktop.remove_extension": { params: Empty; result: Empty };
	"devices.keep_profile": { params: SaveProfileParams; result: ProfileLine };
	"devices.list": { params: Empty; result: Devices };
	"devices.play_end": { params: Empty; result: Empty };
	"devices.play_made": { params: InferProfileParams; result: InferredProfile };
	"devices.play_mark": { params: Empty; result: CaptureStepStart };
	"devices.play_start": { params: Empty; result: CaptureStepStart };
	"devices.profile": { params: DeviceProfileParams; result: ProfileView };
	"devices.profiles": { params: Empty; result: Profiles };
	"devices.read_controller_file": { params: ReadControllerFileParams; result: ControllerFileView };
	"devices.rescan": { params: Empty; result: Empty };
	"devices.set_enabled": { params: EnabledParams; result: Empty };
	"engine.panic": { params: Empty; result: Empty };
	"engine.pause": { params: PauseMappingsParams; result: Empty };
	"engine.restart": { params: Empty; result: Empty };
	"examples.forget": { params: ForgetExampleParams; result: Empty };
	"examples.list": { params: Empty; result: ExampleList };
	"examples.run": { params: Empty; result: ExampleRun };
	"grants.list": { params: Empty; result: GrantList };
	"grants.revoke": { params: RevokeGrantParams; result: GrantList };
	"history.get": { params: GetVersionParams; result: VersionView };
	"history.list": { params: ListVersionsParams; result: VersionList };
	"history.restore": { params: VersionParams; result: RestoreResult };
	"history.restore_mapping": { params: RestoreMappingParams; result: RestoreResult };
	"keys.create": { params: CreateKeyFileParams; result: KeysState };
	"keys.delete": { params: ProviderParams; result: KeysState };
	"keys.put": { params: SaveKeyParams; result: KeysState };
	"keys.state": { params: Empty; result: KeysState };
	"keys.unlock": { params: PassphraseParams; result: KeysState };
	"knowledge.add_profile": { params: AddProfileParams; result: AddedProfile };
	"knowledge.chunk": { params: ChunkParams; result: Chunk };
	"knowledge.document": { params: DocumentParams; result: KnowledgeDocument };
	"knowledge.mappings": { params: ChunkParams; result: RecipeMappings };
	"knowledge.remove_profile": { params: RemoveProfileParams; result: Empty };
	"knowledge.search": { params: SearchKnowledgeParams; result: SearchResults };
	"knowledge.sources": { params: Empty; result: SourceList };
	"knowledge.status": { params: Empty; result: KnowledgeView };
	"knowledge.toggle_source": { params: ToggleSourceParams; result: SourceList };
	"knowledge.update_index": { params: Empty; result: IndexUpdate };
	"learn.end": { params: EndSessionParams; result: Empty };
	"learn.poll": { params: Empty; result: LearnResult };
	"learn.sessions": { params: Empty; result: MidiLearnTopic };
	"learn.start": { params: StartLearningParams; result: LearnSession };
	"learn.stop": { params: Empty; result: LearnResult };
	"manuals.add": { params: AddManualParams; result: AddedManual };
	"manuals.list": { params: Empty; result: ManualList };
	"manuals.open": { params: ManualPageParams; result: OpenedManual };
	"manuals.page": { params: ManualPageParams; result: ManualPage };
	"manuals.remove": { params: ManualParams; result: ManualList };
	"manuals.upload_part": { params: UploadPartParams; result: Empty };
	"modes.switch": { params: SwitchModeParams; result: Empty };
	"monitor.explain": { params: ExplainTraceParams; result: ExplainedTrace };
	"monitor.recent": { params: RecentTracesParams; result: RecentTraces };
	"monitor.watch": { params: WatchEventsParams; result: Empty };
	"pages.confirm": { params: ConfirmPageParams; result: PageRow };
	"pages.list": { params: Empty; result: PageList };
	"plans.apply": { params: ApplyPlanParams; result: ConfigPlan };
	"plans.apply_part": { params: ApplyPlanPartParams; result: ConfigPlan };
	"plans.get": { params: PlanParams; result: PlanView };
	"plans.list": { params: Empty; result: PlanList };
	"plans.mark_edited": { params: MarkPlanEditedParams; result: ConfigPlan };
	"plans.reject": { params: RejectPlanParams; result: ConfigPlan };
	"plans.undone": { params: Empty; result: UndonePlanIds };
	"providers.list": { params: Empty; result: ProvidersView };
	"providers.models": { params: ProviderParams; result: ModelList };
	"providers.test": { params: ProviderParams; result: ProviderHealth };
	"providers.update_prices": { params: Empty; result: PricesView };
	"questions.answer": { params: QuestionAnswerParams; result: Empty };
	"questions.list": { params: Empty; result: QuestionList };
	"recording.clear": { params: Empty; result: RecordingStatus };
	"recording.status": { params: Empty; result: RecordingStatus };
	"remote.allow": { params: AllowRequestParams; result: AuthorizationRequestView };
	"remote.deny": { params: DenyRequestParams; result: AuthorizationRequestView };
	"remote.grants": { params: Empty; result: RemoteGrantList };
	"remote.requests": { params: Empty; result: AuthorizationRequestList };
	"remote.revoke": { params: RevokeGrantParams; result: RemoteGrantList };
	"remote.status": { params: Empty; result: RemoteAccessStatus };
	"servers.accept_change": { params: AcceptChangeParams; result: ServerView };
	"servers.add": { params: ServerEntryParams; result: ServerView };
	"servers.add_known": { params: KnownServerParams; result: ServerView };
	"servers.cancel_sign_in": { params: ServerParams; result: ServerView };
	"servers.consent": { params: ServerConsentParams; result: ServerView };
	"servers.enable": { params: ServerEnableParams; result: ServerView };
	"servers.import": { params: ServerImportParams; result: ImportResult };
	"servers.importable": { params: Empty; result: ImportableServers };
	"servers.known": { params: Empty; result: KnownServers };
	"servers.list": { params: Empty; result: ServersView };
	"servers.log": { params: ServerParams; result: ServerLog };
	"servers.remove": { params: ServerParams; result: Empty };
	"servers.restart": { params: ServerParams; result: ServerView };
	"servers.sign_in": { params: ServerParams; result: SignInRequest };
	"servers.sign_out": { params: ServerParams; result: ServerView };
	"servers.start": { params: ServerParams; result: ServerView };
	"servers.stop": { params: ServerParams; result: ServerView };
	"servers.test": { params: ServerParams; result: ServerTested };
	"servers.tool": { params: SetServerToolParams; result: ServerView };
	"servers.update": { params: ServerEntryParams; result: ServerView };
	"shell.open_url": { params: OpenUrlParams; result: Empty };
	"shell.save_file": { params: SaveFileParams; result: SavedFile };
	"shell.save_pdf": { params: SavePdfParams; result: SavedFile };
	"skills.fetch": { params: FetchSkillParams; result: FetchedSkill };
	"skills.file": { params: SkillFileParams; result: SkillFileText };
	"skills.install": { params: InstallSkillParams; result: Skills };
	"skills.list": { params: Empty; result: Skills };
	"skills.remove": { params: SkillParams; result: Skills };
	"skills.show": { params: SkillParams; result: SkillText };
	"skills.toggle": { params: ToggleSkillParams; result: Skills };
	"usage.summary": { params: UsageParams; result: UsageView };
	"virtual.layout": { params: Empty; result: VirtualLayout };
	"virtual.play": { params: PlayControlParams; result: Empty };
	"voice.cancel": { params: Empty; result: Empty };
	"voice.finish": { params: Empty; result: SpeechHeard };
	"voice.microphones": { params: Empty; result: Microphones };
	"voice.start": { params: Empty; result: Empty };
	"voice.status": { params: Empty; result: VoiceStatus };
	"window.prefs": { params: Empty; result: WindowPrefs };
	"window.set_prefs": { params: SetPrefsParams; result: WindowPrefs };
}

/** Every event with its payload. */
export interface Topics {
	"hello": HelloTopic;
	"status": StatusTopic;
	"trace": TraceView;
	"skipped": SkippedTopic;
	"failure": FailureTopic;
	"devices": DevicesTopic;
	"config": ConfigTopic;
	"problems": ProblemsTopic;
	"plan": ConfigPlan;
	"plan_coverage": PlanCoverageTopic;
	"front": FrontApp;
	"notice": NoticeTopic;
	"names": NamesTopic;
	"chat": ChatTopic;
	"knowledge": KnowledgeTopic;
	"manuals": ManualsTopic;
	"approval": ApprovalView;
	"code": CodeTopic;
	"servers": ServerEvent;
	"question": QuestionView;
	"midi_learn": MidiLearnTopic;
	"mode_switch": ModeSwitchTopic;
	"provider": ProviderTopic;
	"voice": VoiceTopic;
	"authorization_request": AuthorizationRequestView;
	"a2a": A2aStatus;
	"remote": RemoteAccessStatus;
}

export type Method = keyof Commands;
export type Topic = keyof Topics;

/** The title of every built-in tool by its name and aliases. */
export const TOOL_TITLES: Readonly<Record<string, string>> = {
	"conductor_add_note": "Add note",
	"conductor_add_task": "Add task",
	"conductor_apply_plan": "Apply plan",
	"conductor_batch": "Make several changes",
	"conductor_calculate": "Calculator",
	"conductor_change_note": "Change note",
	"conductor_change_task": "Change task",
	"conductor_connect_device": "Connect device",
	"conductor_create_device_identity": "Create device identity",
	"conductor_create_mapping": "Create mapping",
	"conductor_create_mode": "Create mode",
	"conductor_create_profile": "Create profile",
	"conductor_delete_mapping": "Delete mapping",
	"conductor_delete_mode": "Delete mode",
	"conductor_delete_note": "Delete note",
	"conductor_delete_profile": "Delete profile",
	"conductor_delete_task": "Delete task",
	"conductor_describe_types": "Describe types",
	"conductor_disable_plugin": "Disable plugin",
	"conductor_disconnect_device": "Disconnect device",
	"conductor_discover_skills": "Find skills",
	"conductor_enable_plugin": "Enable plugin",
	"conductor_explain_event": "Explain event",
	"conductor_find_notes": "Find notes",
	"conductor_find_tasks": "Find tasks",
	"conductor_get_captured_events": "Read captured events",
	"conductor_get_config": "Read config",
	"conductor_get_mapping": "Read mapping",
	"conductor_get_mappings": "List mappings",
	"conductor_get_plan": "Read plan",
	"conductor_get_recent_events": "Read recent events",
	"conductor_get_settings": "Read settings",
	"conductor_get_status": "Check status",
	"conductor_list_device_bindings": "List device bindings",
	"conductor_list_devices": "List devices",
	"conductor_list_mappings": "List mappings",
	"conductor_list_modes": "List modes",
	"conductor_list_plans": "List plans",
	"conductor_list_plugins": "List plugins",
	"conductor_list_profiles": "List profiles",
	"conductor_list_versions": "List versions",
	"conductor_panic": "Release everything",
	"conductor_preview_action": "Preview action",
	"conductor_read_file": "File reading",
	"conductor_read_note": "Read note",
	"conductor_read_skill": "Read skill",
	"conductor_recall": "Memory recall",
	"conductor_redo": "Redo",
	"conductor_reset_config": "Reset config",
	"conductor_restore_version": "Restore version",
	"conductor_run_code": "Run code",
	"conductor_scan_ports": "Scan ports",
	"conductor_search_knowledge": "Search knowledge",
	"conductor_send_midi": "Send MIDI",
	"conductor_send_sysex": "Send SysEx",
	"conductor_set_device_enabled": "Mute or unmute device",
	"conductor_simulate": "Simulate input",
	"conductor_start_midi_learn": "Start MIDI Learn",
	"conductor_stop_midi_learn": "Stop MIDI Learn",
	"conductor_switch_mode": "Switch mode",
	"conductor_undo": "Undo",
	"conductor_update_mapping": "Update mapping",
	"conductor_update_mode": "Update mode",
	"conductor_update_profile": "Update profile",
	"conductor_update_settings": "Update settings",
	"conductor_validate_config": "Validate config",
	"conductor_web_fetch": "Web fetch",
	"conductor_web_search": "Web search",
};

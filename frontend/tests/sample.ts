/** A small sample config with an entry of every kind, served by the fake backend. */
import schemas from "$lib/client/schemas.json";
import type {
  ChatMessage,
  ChatView,
  Config,
  ConfigPlan,
  ConfigView,
  Conversation,
  Hello,
  Mapping,
  Matcher,
  ProviderView,
  RowDescription,
  RunEvent,
  StatusTopic,
  TraceView,
  Usage,
} from "$lib/client/types";
import { FakeTransport, type Handlers } from "$lib/transport/fake";

type Control = RowDescription["controls"][number];
const words = (
  trigger: string,
  action: string,
  control: Control,
  badges: RowDescription["badges"] = [],
): RowDescription => ({
  trigger,
  numbers: "",
  printed: "",
  action,
  badges,
  device: control.device,
  controls: [control],
});
const note = (number: number): Control => ({
  device: null,
  channel: null,
  control_class: "note",
  number,
});
const cc = (number: number): Control => ({
  device: null,
  channel: null,
  control_class: "cc",
  number,
});
const ANYWHERE = { device: null, channel: null, when: [] };

const MAPPINGS: Mapping[] = [
  {
    description: "Mute microphone",
    enabled: true,
    trigger: { type: "Note", note: 36, velocity_min: null, ...ANYWHERE },
    action: { type: "Keystroke", keys: ["ctrl", "shift", "m"], hold: "tap" },
  },
  {
    description: "Stream scene",
    enabled: true,
    trigger: {
      type: "LongPress",
      note: 36,
      button: null,
      duration_ms: 600,
      hold_on_other_press: false,
      permissive_hold: false,
      quick_tap_ms: 0,
      require_prior_idle_ms: 0,
      keep_order: false,
      ...ANYWHERE,
    },
    action: { type: "ModeChange", mode: "Stream", behaviour: "switch" },
  },
  {
    description: null,
    enabled: true,
    trigger: { type: "CC", cc: 20, value_min: null, value_max: null, edge: "any", ...ANYWHERE },
    action: { type: "VolumeControl", operation: "Set", value: null },
  },
  {
    description: null,
    enabled: false,
    trigger: { type: "EncoderTurn", cc: 21, direction: "any", encoding: "auto", ...ANYWHERE },
    action: { type: "Shell", argv: ["notify-send", "hello"], timeout_s: 30 },
  },
];
export const ROWS = [
  words("Note C2 (36)", "Keystroke Ctrl+Shift+M", note(36)),
  words("Hold note C2 (36) 600 ms", "Switch to mode Stream", note(36), ["hold"]),
  words("CC 20", "Set volume from the control", cc(20)),
  words("Encoder CC 21", "Run notify-send", cc(21), ["shell", "off"]),
];

const MATCHER: Matcher = { type: "NameContains", pattern: "MPK", occurrence: null };
const SETTINGS = schemas.Settings.properties;

export const CONFIG: ConfigView = {
  config: {
    version: 1,
    devices: [{ alias: "pads", matchers: [MATCHER], description: null, enabled: true }],
    modes: [
      { name: "Default", color: "#5fa9f5", mappings: MAPPINGS },
      { name: "Stream", color: "#e5ad3f", mappings: [] },
      { name: "Live", color: null, mappings: [] },
    ],
    global_mappings: [],
    profiles: [
      {
        name: "OBS",
        match: { executable: "obs", bundle_id: null, title_regex: null },
        mode: "Stream",
        enabled: true,
        mappings: [],
      },
    ],
    settings: {
      engine: SETTINGS.engine.default,
      ui: SETTINGS.ui.default,
      learn: SETTINGS.learn.default,
    } as Config["settings"],
    llm: {
      enabled: true,
      default_provider: null,
      providers: {},
      failover: [],
      max_steps: 12,
      budget: { warn_usd_per_day: 1, stop_usd_per_day: null, stop_usd_per_conversation: null },
      chat: { read_only: false, allowed_tools: null, denied_tools: [], toolsets: null },
      mcp: {
        enabled: true,
        socket_path: null,
        http_enabled: false,
        http_port: 8765,
        auth_token_env: null,
        remote_enabled: false,
        remote_address: "",
        remote_host: "0.0.0.0",
        remote_port: 8767,
        remote_tls: true,
        remote_certificate: "",
        remote_certificate_key: "",
        approval: "gui",
        form_clients: [],
        read_only: false,
        allowed_tools: null,
        denied_tools: [],
        toolsets: null,
      },
      a2a: { enabled: false, http_port: 8766, agent_name: "Conductor MIDI Mapper" },
    },
    knowledge: {} as Config["knowledge"],
    skills: {} as Config["skills"],
  },
  hash: "a".repeat(64),
  path: "/home/me/.config/conductor/config.toml",
  text: "",
  problems: [],
  warnings: [],
  overlaps: [
    {
      kind: "hold_delayed",
      severity: "info",
      message: "the tap on note 36 waits 600 ms for the hold",
      places: ["mode:Default #0", "mode:Default #1"],
      is_new: false,
      gesture: null,
      tap_wait: null,
      control_names: [],
    },
  ],
  rows: { "mode:Default": ROWS, "mode:Stream": [], "mode:Live": [], "profile:OBS": [], global: [] },
  start_mode: "Default",
};

export const HELLO: Hello = {
  version: "0.1.0",
  platform: "linux",
  demo: false,
  first_run: false,
  home: "/home/me/.config/conductor",
  config_path: "/home/me/.config/conductor/config.toml",
  engine_running: true,
  features: { tray: true, native: false },
};

export const STATUS: StatusTopic = {
  mode: "Default",
  profile: null,
  muted: [],
  paused: false,
  engine_running: true,
  held_keys: [],
  modes: ["Default", "Stream", "Live"],
};

export const PLAN: ConfigPlan = {
  plan_id: "11111111-2222-3333-4444-555555555555",
  kind: "config",
  status: "pending",
  description: "Map pad 2 to play and pause",
  changes: [
    {
      change_type: "CreateMapping",
      mode: "Default",
      description: "Note 37 -> Keystroke Playpause",
    },
  ],
  diff_preview: "+ [[modes.mappings]]",
  base_state_hash: CONFIG.hash,
  created_at: "2026-11-21T12:00:00Z",
  expires_at: "2026-11-21T12:05:00Z",
  touched_files: ["config.toml"],
  warnings: [],
  overlaps: [],
  replay: null,
  impact: null,
  coverage: null,
  examples: [],
  left_out: [],
  broken_examples: [],
  window_only: [],
  diff_is_cut: false,
  shown_digest: null,
  requested_by: {
    caller: "mcp",
    client: "claude",
    pid: 42,
    executable: "/usr/bin/claude",
    conversation_id: null,
    program: null,
    scopes: null,
  },
  privileged: false,
  approved_by: null,
  reason: null,
  result_hash: null,
};

export function trace(sequence: number, over: Partial<TraceView> = {}): TraceView {
  return {
    sequence,
    event: {
      kind: "note_on",
      device: "pads",
      channel: 10,
      number: 36,
      value: 100,
      time: sequence / 10,
      data: null,
      control: null,
      printed: null,
    },
    mode: "Default",
    profile: null,
    outcome: "fired",
    candidates: [
      {
        mapping: "Mute microphone",
        scope: "mode:Default",
        index: 0,
        trigger: MAPPINGS[0]!.trigger,
        action: MAPPINGS[0]!.action,
        outcome: "fired",
        reason: "100 is loud enough",
      },
    ],
    effects: [],
    note: null,
    gesture: 0,
    new_mode: null,
    text: "Note 36 on, velocity 100, channel 10",
    count: 1,
    ...over,
  };
}

export function sampleHandlers(): Handlers {
  const none = () => ({});
  return {
    ...chatHandlers(),
    "app.hello": () => HELLO,
    "app.status": none,
    "config.get": () => CONFIG,
    "config.preview": () => ({
      diff: "",
      before_after: [],
      overlaps: [],
      warnings: [],
      replay: null,
      timeline: null,
      broken_examples: [],
    }),
    "config.missing": () => ({ parts: [] }),
    "config.commit": () => ({ hash: CONFIG.hash }),
    "config.undo": () => ({ hash: "c".repeat(64), reason: "Map pad 1" }),
    "config.redo": () => ({ hash: "d".repeat(64), reason: "Map pad 1" }),
    "config.describe": () => ROWS[0],
    "history.list": () => ({ versions: [] }),
    "plans.list": () => ({ plans: [PLAN] }),
    "plans.get": () => ({
      plan: PLAN,
      before_after: [],
      timeline: null,
      changes: [],
      rows_by_change: [],
      standing: null,
      way: null,
    }),
    "plans.undone": () => ({ plan_ids: [] }),
    "plans.apply": () => ({ ...PLAN, status: "applied" }),
    "plans.apply_part": () => ({ ...PLAN, status: "applied" }),
    "plans.mark_edited": () => ({ ...PLAN, status: "rejected" }),
    "plans.reject": () => ({ ...PLAN, status: "rejected" }),
    "desktop.access": () => ({
      input_route: "XTEST",
      input_problem: null,
      input_consent: null,
      extension: null,
      extension_problem: "",
    }),
    "recording.status": () => ({
      segments: 0,
      entries: 0,
      played_s: 0,
      is_kept_on_disk: false,
      bytes_on_disk: 0,
    }),
    "examples.list": () => ({ examples: [] }),
    "devices.list": () => ({
      devices: [
        {
          device_id: "pads",
          port_name: "MPK mini 3",
          kind: "midi_input",
          connected: true,
          enabled: true,
          is_configured: true,
          problem: null,
        },
        {
          device_id: "virtual",
          port_name: "Virtual controller",
          kind: "virtual",
          connected: true,
          enabled: true,
          is_configured: false,
          problem: null,
        },
      ],
      aliases: CONFIG.config.devices,
      outputs: ["Conductor Out", "MPK mini 3"],
    }),
    "voice.status": () => ({ problem: "", microphone_problem: "" }),
    "manuals.list": () => ({ manuals: [] }),
    "devices.profiles": () => ({ profiles: [], fits: [] }),
    "devices.profile": () => ({ profile: null, variant: "", own: false }),
    "devices.set_enabled": none,
    "devices.rescan": none,
    "virtual.layout": () => ({ controls: [] }),
    "virtual.play": none,
    "modes.switch": none,
    "engine.panic": none,
    "engine.pause": none,
    "engine.restart": none,
    "learn.start": () => ({ timeout_ms: 30_000 }),
    "learn.poll": () => ({ events: [], suggestions: [] }),
    "learn.stop": () => ({ events: [], suggestions: [] }),
    "monitor.watch": none,
    "monitor.recent": () => ({ traces: [], failures: [], epoch: 0 }),
    "monitor.explain": () => ({
      trace: trace(1),
      steps: [{ title: "Mode", text: "judged in mode Default", ok: true, numbers: [] }],
      explanation: {
        outcome: "not_fired",
        verdict: "`hold` did not fire: held 300 ms, long press needs 400 ms",
        fired: [],
        reasons: [],
        what_would_change: "hold it for 400 ms",
        timeline: [],
      },
    }),
    "actions.test": none,
    "apps.front": () => ({
      executable: "obs",
      bundle_id: "",
      title: "OBS 31",
      supported: true,
      reason: null,
      seen: [],
    }),
    "approvals.list": () => ({ approvals: [] }),
    "learn.sessions": () => ({ sessions: [] }),
    "a2a.status": () => ({ enabled: false, card_address: null, problem: null }),
    "remote.requests": () => ({ requests: [] }),
    "remote.grants": () => ({ grants: [] }),
    "remote.status": () => ({
      enabled: false,
      address: null,
      fingerprint: null,
      certificate_file: null,
      is_self_made: false,
      problem: null,
    }),
    "remote.allow": none,
    "remote.deny": none,
    "remote.revoke": none,
    "approvals.decide": none,
    "grants.list": () => ({ grants: [] }),
    "questions.list": () => ({ questions: [] }),
    "questions.answer": none,
    "abilities.list": () => ({ tiers: [], skills: [], folders: [] }),
    "activity.list": () => ({ entries: [] }),
    "servers.list": () => ({
      servers: [],
      path: "/home/me/.config/conductor/mcp.json",
      problem: null,
    }),
    "window.prefs": () => ({ prefs: {} }),
    "window.set_prefs": () => ({ prefs: {} }),
    "shell.open_url": none,
  };
}

export function fakeConductor(over: Handlers = {}): FakeTransport {
  return new FakeTransport({ ...sampleHandlers(), ...over });
}

const CONVERSATION: Conversation = {
  conversation_id: "c1",
  title: "Copy on a pad",
  created_at: "2026-11-21T12:00:00Z",
  updated_at: "2026-11-21T12:00:00Z",
  provider: "sim",
  model: "gpt-sim",
  tip_id: "m2",
  usage: usage(),
  messages: 2,
};
const PROVIDER: ProviderView = {
  name: "sim",
  kind: "custom",
  label: "My model",
  enabled: true,
  written: true,
  usable: true,
  needs_key: false,
  has_key: false,
  base_url: "",
  model: "gpt-sim",
  usual_env: "",
  key_url: "",
  state: "works",
  key_place: null,
  key_variable: null,
};

function usage(): Usage {
  return {
    requests: 0,
    input_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: 0,
    cost_usd: null,
    cost_from: null,
  };
}

export function message(message_id: string, over: Partial<ChatMessage> = {}): ChatMessage {
  return {
    message_id,
    conversation_id: "c1",
    parent_id: null,
    role: "user",
    created_at: "2026-11-21T12:00:00Z",
    parts: [],
    state: "complete",
    provider: null,
    model: null,
    usage: usage(),
    context_tokens: 0,
    failure: null,
    summary: false,
    ...over,
  };
}

export const text = (words: string): ChatMessage["parts"][number] => ({
  type: "text",
  text: words,
  origin: null,
});

export function run(over: Partial<RunEvent> = {}): RunEvent {
  return {
    type: "state",
    conversation_id: "c1",
    running: false,
    activity: null,
    words: "",
    step: 0,
    steps: 12,
    queued: [],
    context_tokens: 0,
    context_window: 0,
    nearly_full: false,
    spent_usd: null,
    budget_usd: null,
    ...over,
  };
}

/** Return a chat view with a conversation that has the given messages. */
export function chatView(...messages: ChatMessage[]): ChatView {
  const shown = messages.length
    ? messages
    : [
        message("m1", { parts: [text("Copy with pad 36")] }),
        message("m2", {
          role: "assistant",
          parent_id: "m1",
          parts: [text("Look at the plan.")],
          model: "gpt-sim",
        }),
      ];
  return {
    conversation: CONVERSATION,
    messages: shown.map((one) => ({ message: one, siblings: [one.message_id] })),
    older: false,
    run: run(),
  };
}

function chatHandlers(): Handlers {
  const none = () => ({});
  const sent = () => ({
    conversation_id: "c1",
    user_message_id: "m1",
    message_id: "m2",
    queued: false,
  });
  return {
    "chat.conversations": () => ({ conversations: [CONVERSATION], older: false }),
    "chat.open": () => chatView(),
    "chat.older": () => ({ messages: [], older: false }),
    "chat.branch": () => chatView(),
    "chat.send": sent,
    "chat.edit": sent,
    "chat.regenerate": sent,
    "chat.stop": none,
    "chat.resume": none,
    "chat.unqueue": none,
    "chat.compact": none,
    "chat.rename": none,
    "chat.delete": none,
    "chat.set_model": none,
    "chat.export": () => ({ text: "# Copy on a pad" }),
    "chat.suggestions": () => ({ suggestions: ["What is mapped in the active mode?"] }),
    "chat.mentions": () => ({
      mentions: [{ type: "mention", kind: "mode", label: "Stream", detail: "the mode `Stream`" }],
    }),
    "chat.commands": () => ({
      commands: [
        {
          name: "/map",
          usage: "<control> to <action>",
          help: "Map a control.",
          examples: ["/map pad 36 to cmd+c"],
        },
        { name: "/undo", usage: "", help: "Undo the last change.", examples: [] },
      ],
    }),
    "chat.attach": ({ name }: { name: string }) => ({
      part: { type: "file", name, kind: "text", text: "x" },
    }),
    "providers.list": () => ({
      providers: [PROVIDER],
      order: ["sim"],
      keys: { place: "environment", locked: false, words: "" },
    }),
    "providers.models": () => ({ models: [] }),
    "usage.summary": () => ({
      today_usd: 0.25,
      costs: { days: [], providers: [], models: [], conversations: [] },
      first_day: "2026-11-21",
      last_day: "2026-11-21",
    }),
  };
}

/** A virtual controller with a pad and a knob. */
export const LAYOUT = {
  device: "virtual",
  controls: [
    {
      name: "pad1",
      label: "Pad 1",
      kind: "pad" as const,
      control_class: "note" as const,
      number: 41,
      channel: 10,
      row: 0,
      col: 0,
    },
    {
      name: "knob1",
      label: "Knob 1",
      kind: "knob" as const,
      control_class: "cc" as const,
      number: 20,
      channel: 1,
      row: 0,
      col: 0,
    },
  ],
};

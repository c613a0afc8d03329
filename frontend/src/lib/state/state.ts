/** Creates the state of the page and provides it to all components. */
import { getContext, setContext } from "svelte";
import { capitalize } from "$language/format";
import { withNotes } from "$ui/notes.svelte";
import { translateSentence } from "$language/sentences";
import { isByUser } from "../requesters";
import { Client, errorMessage } from "../client/client";
import type { ConfigPlan } from "../client/types";
import { CapabilitiesState } from "./capabilities.svelte";
import { AppState } from "./app.svelte";
import { ApprovalsState } from "./approvals.svelte";
import { ChatState } from "./chat/chat.svelte";
import { ConfigState } from "./config.svelte";
import { DevicesState } from "./devices.svelte";
import { KnowledgeState } from "./knowledge.svelte";
import { LearnState, nameOfClient } from "./learn.svelte";
import { ManualsState } from "./manuals.svelte";
import { ModesState } from "./modes.svelte";
import { MonitorState } from "./monitor.svelte";
import { PlansState } from "./plans.svelte";
import { RowProblems, rowId } from "./row-problems.svelte";
import { ProfilesState } from "./profiles.svelte";
import { RemoteState } from "./remote.svelte";
import { ServersState } from "./servers.svelte";
import { UiState } from "./ui.svelte";
import { VoiceState } from "./voice.svelte";
import { strings } from "../strings";

export interface State {
  client: Client;
  app: AppState;
  config: ConfigState;
  devices: DevicesState;
  monitor: MonitorState;
  plans: PlansState;
  modes: ModesState;
  profiles: ProfilesState;
  problems: RowProblems;
  chat: ChatState;
  knowledge: KnowledgeState;
  learn: LearnState;
  manuals: ManualsState;
  approvals: ApprovalsState;
  capabilities: CapabilitiesState;
  servers: ServersState;
  voice: VoiceState;
  remote: RemoteState;
  ui: UiState;
}

const PLAN_TOAST_MS = 20_000;
const STATE_KEY = Symbol("conductor");

export function createState(client: Client): State {
  const ui = new UiState(
    (patch) => void client.call("window.set_prefs", { patch }).catch(() => {}),
  );
  const config: ConfigState = new ConfigState(client, ui);
  const failureToasts = new Map<string, number>();
  const app = new AppState(client, ui, ({ scope, index }) => {
    const row = config.row(scope, index);
    if (!row) return null;
    return {
      name: row.mapping.description || `${row.words.trigger} → ${row.words.action}`,
      edit: () => ui.navigate("mappings", { kind: "row", scope, index: row.index }),
      onToast: (id) => failureToasts.set(rowId(row), id),
    };
  });
  const problems = new RowProblems(client, config);
  problems.onSolved((row) => ui.dismiss(failureToasts.get(rowId(row)) ?? -1));
  client.on("notice", ({ text, level, undoes, page }) => {
    const confirm = (): void =>
      void client.call("pages.confirm", { number: page! }).then(
        () => ui.toast(strings.pageConfirmed(page)),
        (error: unknown) => ui.toast(errorMessage(error), { tone: "warning" }),
      );
    const button = undoes
      ? config.undoButton(undoes)
      : page
        ? { action: { label: strings.confirmPage(page), run: confirm } }
        : null;
    ui.toast(capitalize(translateSentence(text)), {
      tone: level,
      ofView: false,
      ...(button ? { ...button, duration_ms: PLAN_TOAST_MS } : {}),
    });
  });
  const devices = new DevicesState(client);
  const monitor = new MonitorState(client, () => config.rows);
  const chat = new ChatState(client, ui, ({ conversation_id, state }) => {
    if (ui.view === "chat" || state === "stopped") return;
    const title = chat.list.find(conversation_id)?.title;
    const text =
      state === "failed"
        ? strings.assistantCouldNotAnswer
        : state === "paused"
          ? strings.assistantAsksWhetherToContinue
          : strings.assistantHasAnswered;
    ui.toast(title ? `${text}: ${title}` : text, {
      action: {
        label: strings.show,
        run: () => ui.navigate("chat", { kind: "conversation", conversation_id }),
      },
    });
  });
  const announcePlan = (plan: ConfigPlan): void => {
    const inChat = plan.requested_by.caller === "chat";
    if (inChat && ui.view === "chat") return;
    if (ui.view === "plans") return;
    const review = (): void =>
      inChat
        ? ui.navigate("chat", {
            kind: "conversation",
            conversation_id: chat.conversationOfPlan(plan.plan_id),
          })
        : ui.navigate("plans", { kind: "plan", plan_id: plan.plan_id });
    plans.toasts.set(
      plan.plan_id,
      ui.toast(strings.proposes(nameOfClient(plan.requested_by), withNotes(plan.description)), {
        duration_ms: PLAN_TOAST_MS,
        action: { label: strings.review, run: review },
      }),
    );
  };
  const plans: PlansState = new PlansState(client, announcePlan, (stale) => {
    const { plan_id } = stale[0]!;
    for (const plan of stale) ui.dismiss(plans.toasts.get(plan.plan_id) ?? -1);
    ui.toast(strings.plansOutOfDate(stale.length), {
      tone: "warning",
      under: "change",
      action: { label: strings.show, run: () => ui.navigate("plans", { kind: "plan", plan_id }) },
    });
  });
  client.on("plan", ({ plan_id, status }) => {
    if (status !== "pending") ui.dismiss(plans.toasts.get(plan_id) ?? -1);
  });
  const modes = new ModesState(app, config);
  announceModeSwitches(client, ui, modes);
  const knowledge = new KnowledgeState(client);
  const learn = new LearnState(client, ui);
  const manuals = new ManualsState(client, () => knowledge.reloadIfLoaded());
  const profiles = new ProfilesState(client, ui);
  const approvals = new ApprovalsState(client, ui);
  const capabilities = new CapabilitiesState(client);
  const servers = new ServersState(client);
  const voice = new VoiceState(client, ui, chat);
  const remote = new RemoteState(client, ui);
  return {
    client,
    app,
    config,
    devices,
    monitor,
    plans,
    modes,
    profiles,
    problems,
    chat,
    knowledge,
    learn,
    manuals,
    approvals,
    capabilities,
    servers,
    voice,
    remote,
    ui,
  };
}

/** Show when an agent has switched the mode, until another mode is active. */
function announceModeSwitches(client: Client, ui: UiState, modes: ModesState): void {
  let announced = { id: -1, mode: "" };
  let activeMode = "";
  client.on("mode_switch", ({ mode, previous_mode, ...by }) => {
    if (by.caller === "chat" || isByUser(by)) return;
    const switchBack = { label: strings.switchBack, run: () => void modes.switch(previous_mode) };
    const id = ui.toast(strings.switchedTo(nameOfClient(by), mode), {
      group: "mode switch",
      action: switchBack,
      duration_ms: PLAN_TOAST_MS,
    });
    announced = { id, mode };
  });
  client.on("status", ({ mode }) => {
    // The status with the announced mode may arrive after the announcement.
    if (mode !== activeMode && activeMode === announced.mode) ui.dismiss(announced.id);
    activeMode = mode;
  });
}

/** Load the user's preferences, and open the last view. If loading fails, defaults are used. */
export async function loadPrefs({ client, ui }: State): Promise<void> {
  try {
    const { prefs } = await client.call("window.prefs");
    ui.prefs = { ...prefs, ...ui.prefs };
    ui.view ||= ui.pref("last_view", "");
  } catch {
    // Without preferences, the page starts as for a new user.
  } finally {
    ui.starting = false;
  }
}

export function provideApp(state: State): void {
  setContext(STATE_KEY, state);
}

/** Return the state of the page. Only callable while a component is initialised. */
export function useApp(): State {
  return getContext<State>(STATE_KEY);
}

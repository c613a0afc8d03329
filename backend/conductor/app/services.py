"""Creates the services of the app process.

This module is imported after the engine has received its config, because its own imports are slow.
"""

import contextlib
import logging
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from conductor import __version__
from conductor.app.abilities import AppAbilities
from conductor.app.chat_service import ChatService
from conductor.app.lazy_knowledge import LazyKnowledge
from conductor.app.lazy_llm import LazyLlm
from conductor.app.lazy_skills import LazySkills
from conductor.app.missing import MissingPartsFinder
from conductor.app.program_requests import answer_program_with_model
from conductor.config.plan_rules import PLAN_TTL_S
from conductor.config.plans import UNKNOWN_OUTCOME_REASON, Plans
from conductor.config.store import ConfigStore
from conductor.domain.actions import Action
from conductor.domain.approvals import ApprovalView
from conductor.domain.config import Config
from conductor.domain.coverage import Coverage
from conductor.domain.engine_protocol import GetRecentEvents, ListeningFailed
from conductor.domain.events import InputEvent
from conductor.domain.page_events import PlanCoverageTopic, ProviderTopic
from conductor.domain.plan import ConfigPlan, Requester, StoredPlan
from conductor.domain.remote_access import AuthorizationRequestView
from conductor.domain.wire_rows import event_from_plain
from conductor.errors import ActionFailed, NotAvailable
from conductor.llm.transcriber import Transcriber
from conductor.mcp.a2a.deps import A2aDeps, ModelAnswer
from conductor.mcp.a2a.listener import A2aListener
from conductor.mcp.registry.runs import ServerRuns
from conductor.mcp.registry.servers import Servers
from conductor.mcp.registry.user_questions import UserQuestions
from conductor.mcp.remote.access import RemoteAccess, RemoteAccessDeps
from conductor.mcp.server.agents import AgentSessions
from conductor.mcp.server.deps import ServerDeps
from conductor.mcp.server.socket_watchers import SocketWatchers
from conductor.mcp.server.tool_gate import ToolGate
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.events import (
    A2A_TOPIC,
    APPROVAL_TOPIC,
    AUTHORIZATION_REQUEST_TOPIC,
    CHAT_TOPIC,
    FAILURE_TOPIC,
    PLAN_COVERAGE_TOPIC,
    PLAN_TOPIC,
    PROVIDER_TOPIC,
    PUSH_TO_TALK_TOPIC,
    REMOTE_TOPIC,
    STATUS_TOPIC,
    TOOLS_TOPIC,
    VOICE_TOPIC,
    EventBus,
)
from conductor.runtime.foreground_apps import ForegroundApps
from conductor.runtime.learn_sessions import LearnSessions
from conductor.runtime.notices import Notices
from conductor.runtime.open_pages import OpenPages
from conductor.runtime.recording import start_recording_store
from conductor.runtime.status import StatusReader
from conductor.storage.audit import AuditLog
from conductor.storage.failure_log import FailureLog
from conductor.storage.records import Records
from conductor.tools.action_performer import ActionPerformer
from conductor.tools.app_contexts import AppContexts, ContextParts
from conductor.tools.approval.approvals import Approvals
from conductor.tools.approval.remote_scopes import find_required_scope
from conductor.tools.catalog import REGISTRY
from conductor.tools.change_prover import ReplayChangeProver
from conductor.tools.example_watch import ExampleWatcher
from conductor.tools.executor import ToolExecutor
from conductor.voice.host import VoiceHost
from conductor.voice.push_to_talk import ActiveMode, VoiceController
from conductor.window.browsers import describe_open_window

if TYPE_CHECKING:
    from conductor.agent.chat import Chat
    from conductor.agent.deps import AppState, ChatDeps
    from conductor.domain.chat.events import ChatEvent
    from conductor.domain.chat.messages import ProviderHealth

log = logging.getLogger(__name__)

DEMO_NOT_SAVED_REASON = (
    "the demo does not save its config; end the demo, then start `conductor run`"
)
PLAN_TTL_VARIABLE = "CONDUCTOR_PLAN_TTL_SECONDS"
AUDIT_NOTICE = "audit"
"""The key of the notice that the audit log cannot be written."""
AUTHORIZATION_REQUEST_NOTICE = "authorization_request"
"""The start of the keys of notices that an agent on another computer asks for access."""
HTTP_NOTICE = "http"
"""The key of the notice that agents over HTTP cannot be served."""
A2A_NOTICE = "a2a"
"""The key of the notice that other agents cannot be served over A2A."""
REMOTE_NOTICE = "remote"
"""The key of the notice that agents on other computers cannot be served."""
MANUALS_NOTICE = "manuals"
"""The key of the notice that searches leave out the user's manuals."""
RECORDING_NOTICE = "recording"
"""The key of the notice that the recording cannot be written or deleted."""


class AppServices:
    """Creates and connects the services that are used by the page, by agents and by the terminal."""

    def __init__(
        self,
        home: Path,
        bus: EventBus,
        notices: Notices,
        engine: EngineConnection,
        foreground: ForegroundApps,
        pages: OpenPages,
        watchers: SocketWatchers,
        records: Records,
        store: ConfigStore,
        *,
        demo: bool,
    ) -> None:
        self._bus = bus
        self._notices = notices
        self._engine = engine
        self._foreground = foreground
        self._pages = pages
        self._watchers = watchers
        self._records = records
        self._store = store
        self.audit = AuditLog(records.store_audit_entries, self._on_audit_failure)
        bus.subscribe(FAILURE_TOPIC, FailureLog(self.audit, engine.read_names).on_failure)
        self.recording = start_recording_store(
            engine.process,
            partial(notices.report_problem, RECORDING_NOTICE),
            None if demo else home,
            store,
            self._discard_proofs,
        )
        self.llm = LazyLlm(
            home,
            lambda: store.current_config.llm,
            records,
            self._on_providers_cleared,
            self._on_provider_health,
        )
        self.knowledge = LazyKnowledge(
            home,
            lambda: store.current_config.knowledge,
            lambda: [row["port_name"] for row in engine.state.devices if row["connected"]],
            self.audit,
            bus.publish,
            partial(notices.report_problem, MANUALS_NOTICE),
        )
        self.skills = LazySkills(home, lambda: store.current_config.skills)
        self.abilities = AppAbilities(
            home,
            lambda: store.current_config.skills,
            records,
            self.knowledge,
            pages,
            bus.publish,
            self._get_chat_tools,
        )
        self.learn = LearnSessions(engine.process, bus.publish)
        bus.subscribe(STATUS_TOPIC, self.learn.on_engine_state)
        self.questions = UserQuestions(bus.publish, lambda: pages.page_count)
        self.servers = self._build_servers(home, demo=demo)
        self.prover = ReplayChangeProver(
            self.recording.read_recording,
            records.open_examples,
            engine.state.get_ports_by_device,
            read_names=engine.read_names,
        )
        self.approvals = Approvals(
            records.open_grants,
            lambda: store.current_config,
            self._on_approval_change,
            self._is_user_present,
        )
        self._performer = ActionPerformer(
            engine.process,
            engine.plugin_calls,
            self.approvals,
            prepare=engine.prepare_action,
            demo=demo,
        )
        self.missing = MissingPartsFinder(home, engine.state, self.servers, records)
        self.plans = Plans(
            store,
            self.prover,
            records.open_plans,
            self._perform_plan,
            ttl_s=read_plan_ttl_s(),
            on_change=self._on_plan_change,
            on_coverage=self._on_plan_coverage,
            locked_because=DEMO_NOT_SAVED_REASON if demo else None,
            find_missing=self.missing.find_missing_parts,
            read_names=engine.read_names,
        )
        self.examples = ExampleWatcher(
            store, records.open_examples, records.open_history, notices, self.plans.wait_until_idle
        )
        status = StatusReader(
            engine,
            store,
            lambda: notices.texts,
            self.prover.count_conflicts,
            self._list_server_problems,
            describe_window=lambda: describe_open_window(is_open=pages.page_count > 0),
            demo=demo,
        )
        self.contexts = AppContexts(
            ContextParts(
                engine,
                store,
                self.plans,
                status,
                self.servers.list_servers,
                lambda: self.servers.runs.content.servers,
                self.missing.find_missing_parts,
                records.open_history,
                lambda: self.knowledge.library,
                lambda: self.skills.library,
                self.abilities,
                self.learn,
                bus.publish,
                demo,
            )
        )
        rules_for_agents = lambda: store.current_config.llm.mcp  # noqa: E731
        executor = ToolExecutor(
            REGISTRY,
            self.contexts,
            rules_for_agents,
            self.audit,
            skills=self.servers.runs.get_skills_settings,
            permission=self.approvals,
            explain_missing=self._explain_missing,
            chat_settings=lambda: store.current_config.llm.chat,
        )
        self.remote = RemoteAccess(
            RemoteAccessDeps(
                home,
                rules_for_agents,
                records.open_database,
                self._load_agent_server,
                partial(find_required_scope, REGISTRY),
                self._on_authorization_request,
                partial(bus.publish, REMOTE_TOPIC),
                notices.show_warning,
                partial(notices.report_problem, REMOTE_NOTICE),
            )
        )
        self.gate = ToolGate(executor, rules_for_agents, self.audit, self.remote.is_revoked)
        self.agents = AgentSessions(
            ServerDeps(
                self.gate,
                self.plans,
                self.gate.settings,
                __version__,
                home,
                partial(notices.report_problem, HTTP_NOTICE),
                lambda: self.skills.library,
            )
        )
        self.chat = ChatService(self._build_chat, self.llm, self._load_index, self._on_chat_event)
        self.a2a = A2aListener(
            A2aDeps(
                self.gate,
                self.plans,
                lambda: store.current_config.llm,
                self.audit,
                self._answer_program,
                records.load_library,
                __version__,
                home,
                partial(notices.report_problem, A2A_NOTICE),
                partial(bus.publish, A2A_TOPIC),
            )
        )
        self.voice = VoiceController(
            lambda: store.current_config,
            lambda: ActiveMode(engine.state.mode, engine.state.profile),
            VoiceHost,
            Transcriber(lambda: store.current_config, lambda: self.llm.services),
            lambda spoken: self.perform_action(spoken.action),
            self._send_spoken_message,
            partial(bus.publish, VOICE_TOPIC),
            lambda reason: engine.process.send(ListeningFailed(reason)),
        )
        bus.subscribe(PUSH_TO_TALK_TOPIC, self.voice.on_push_to_talk)

    def on_config_change(self, config: Config, reason: str) -> None:
        """Apply a changed config to the services whose settings it contains."""
        self.recording.apply_settings(config.settings.engine)
        self.llm.on_config_change()
        self.servers.runs.schedule_reconcile()
        self.examples.on_config_change(config, reason)
        self.remote.on_settings_changed()
        self.a2a.on_settings_changed()

    def perform_action(self, action: Action) -> None:
        """Perform an action once, after the user has approved it.

        Raises:
            ActionFailed: The action failed, or its outcome is unknown.
            NotAvailable: The engine does not answer.
        """
        if not self._performer.perform_action(action):
            raise ActionFailed(UNKNOWN_OUTCOME_REASON)

    def close(self) -> None:
        """Deny the pending approvals and write the remaining entries of the audit log."""
        self.prover.close()
        self.approvals.deny_all_pending()
        self.examples.close()
        self.audit.close()

    def _list_server_problems(self) -> list[str]:
        """Return why agents are not served although the settings say so."""
        servers = (self.agents.http, self.remote, self.a2a)
        return [server.problem for server in servers if server.problem]

    def _build_servers(self, home: Path, *, demo: bool) -> Servers:
        runs = ServerRuns(
            home,
            lambda: self._store.current_config.skills,
            self._records,
            self.llm.keys,
            self.questions,
            self._bus.publish,
            self._notices,
            lambda: self._bus.publish(TOOLS_TOPIC, {}),
            demo=demo,
        )
        return Servers(runs, self._store, self.llm.keys, self._notices.show_warning)

    async def _answer_program(self, text: str, by: Requester) -> ModelAnswer:
        """Answer a text of another agent with the user's model."""
        await self.chat.open_chat()  # imports the agent, and repairs what a crash interrupted
        return await answer_program_with_model(
            self._build_chat_deps(), self.gate.list_agent_tools(), text, by
        )

    async def _send_spoken_message(self, message: str) -> str:
        chat = await self.chat.open_chat()  # imports the agent
        from conductor.agent.spoken_messages import send_spoken_message

        return await send_spoken_message(chat, message)

    def _build_chat(self) -> "Chat":
        """Import the agent and create the chat.

        Answers that a crash interrupted are marked as stopped first.
        """
        # first and under a lock, because two parallel imports of the tables fail
        self._records.load_library()
        from conductor.agent.chat import Chat

        conversations = self.llm.services.conversations
        try:
            if repaired := conversations.mark_unfinished_as_stopped():
                log.warning(
                    "%d answers of the chat were interrupted when Conductor last ended", repaired
                )
        except NotAvailable as error:  # the window must open even if the database cannot be read
            log.warning("the conversations cannot be read: %s", error)
        return Chat(self._build_chat_deps())

    def _build_chat_deps(self) -> "ChatDeps":
        from conductor.agent.deps import ChatDeps

        llm, skills, reading = (
            self.llm.services,
            self.skills.library,
            self.contexts.build_read_context(),
        )
        return ChatDeps(
            config=lambda: self._store.current_config,
            app_state=self._read_app_state,
            recent_events=reading.list_recent_events,
            recent_events_sync=self._read_recent_events,
            tools=self.gate.list_chat_tools,
            call=self.gate.call_tool,
            plan=self.plans.get_plan,
            plans=self.plans.list_plans,
            providers=llm.providers,
            conversations=llm.conversations,
            usage=llm.usage,
            cost=llm.compute_cost,
            control_names=self._engine.read_names,
            knowledge=lambda: self.knowledge.library,
            skills=lambda: skills,
        )

    def _read_app_state(self) -> "AppState":
        from conductor.agent.deps import AppState

        state, front = self._engine.state, self._foreground.get_current_app()
        name = "" if front is None else front.executable or front.bundle_id
        return AppState(state.mode, state.profile, name, state.devices)

    def _read_recent_events(self, limit: int) -> list[InputEvent]:
        """Return the latest input events, oldest first. The call blocks until the engine answers."""
        answer = self._engine.process.send_request(GetRecentEvents(limit))
        return [event_from_plain(plain) for plain in answer["events"]]

    def _load_index(self) -> None:
        """Load the knowledge index in advance, so that the first answer does not wait for it."""
        with contextlib.suppress(NotAvailable):  # each answer reports the error to the user
            if self._store.current_config.knowledge.enabled:
                self.knowledge.library.get_index()

    def _get_chat_tools(self) -> tuple[Any, ...]:
        return self.gate.list_chat_tools()

    def _discard_proofs(self) -> None:
        self.prover.forget_recorded_results()

    def _perform_plan(self, stored: StoredPlan) -> bool:
        action = TypeAdapter[Action](Action).validate_python(stored.action)
        plan_id = stored.plan.plan_id
        return self._performer.perform_action(
            action, lambda end: self.plans.record_plan_outcome(plan_id, end)
        )

    def _explain_missing(self, name: str) -> str | None:
        """Return why a tool of an MCP server is missing, or None for other tools."""
        match name.split(":", 2):
            case ["mcp", server, tool]:
                return self.servers.explain_missing_tool(server, tool)
            case _:
                return None

    def _is_user_present(self) -> bool:
        """Return whether the user could answer now, because a page or a terminal chat is open."""
        return self._pages.page_count > 0 or self._watchers.is_watched("chat")

    def _on_plan_change(self, plan: ConfigPlan) -> None:
        self._bus.publish(PLAN_TOPIC, plan)

    def _on_plan_coverage(self, plan_id: str, coverage: Coverage) -> None:
        self._bus.publish(
            PLAN_COVERAGE_TOPIC, PlanCoverageTopic(plan_id=plan_id, coverage=coverage)
        )

    def _on_approval_change(self, view: ApprovalView) -> None:
        self._bus.publish(APPROVAL_TOPIC, view)

    async def _load_agent_server(self) -> Any:
        return await self.agents.wait_until_loaded()

    def _on_authorization_request(self, view: AuthorizationRequestView) -> None:
        """Notify the user that an agent on another computer asks for access, while it does.

        A page shows this itself; the notice is for the terminal.
        """
        self._bus.publish(AUTHORIZATION_REQUEST_TOPIC, view)
        key = f"{AUTHORIZATION_REQUEST_NOTICE} {view.request_id}"
        self._notices.report_problem(
            key,
            f"{view.client} on another computer ({view.source}) asks for access: enter the code of its browser"
            " in the window, or run `conductor remote allow CODE`"
            if view.state == "pending" and self._pages.page_count == 0
            else None,
        )

    def _on_chat_event(self, event: "ChatEvent") -> None:
        if event.type == "removed":
            self.approvals.forget_conversation(event.conversation_id)
        self._bus.publish(CHAT_TOPIC, event)

    def _on_providers_cleared(self) -> None:
        self.chat.recheck_providers()

    def _on_provider_health(self, name: str, health: "ProviderHealth") -> None:
        self._bus.publish(PROVIDER_TOPIC, ProviderTopic(provider=name, health=health))

    def _on_audit_failure(self, problem: str | None) -> None:
        refused = "Calls from programs are refused because they cannot be recorded"
        text = None if problem is None else f"{refused}: {problem}"
        self._notices.report_problem(AUDIT_NOTICE, text)


def read_plan_ttl_s() -> float:
    """Return for how many seconds a plan can be applied. Tests override this with an environment variable."""
    try:
        seconds = float(os.environ.get(PLAN_TTL_VARIABLE, ""))
    except ValueError:
        return PLAN_TTL_S
    return seconds if 0 < seconds <= 86_400 else PLAN_TTL_S

"""The services of the running Conductor that commands use, as protocols.

`app.bridge_services` implements them.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar

from conductor.base.json_types import JsonObject
from conductor.bridge.app_pages import AppPages
from conductor.bridge.code_runner import CodeRunner
from conductor.bridge.remote_services import A2aListener, RemoteAccess
from conductor.bridge.tokens import PageSession
from conductor.bridge.voice_service import Voice
from conductor.config.plan_rules import FindMissingParts
from conductor.config.plans import Plans
from conductor.config.store import ConfigStore
from conductor.domain.actions import Action
from conductor.domain.chat.events import RunEvent
from conductor.domain.chat.messages import (
    ChatMessage,
    Conversation,
    MentionPart,
    ProviderHealth,
    SendRequest,
    SendResult,
    UserPart,
)
from conductor.domain.control_names import ControlNames
from conductor.domain.costs import Costs
from conductor.domain.engine_protocol import RequestFor
from conductor.domain.events import CapturedEvents
from conductor.domain.page_events import MidiLearnSession
from conductor.domain.plan import Requester
from conductor.domain.servers import (
    AppPage,
    ImportResult,
    ImportSource,
    KnownServer,
    QuestionAction,
    QuestionView,
    ServersView,
    ServerTested,
    ServerView,
    SignInRequest,
)
from conductor.llm.provider import Provider
from conductor.llm.registry import ProviderRow
from conductor.runtime.events import Payload, Topic
from conductor.runtime.foreground_apps import ForegroundApps
from conductor.runtime.pause_lease import PauseLease
from conductor.runtime.recording import RecordingStore
from conductor.storage.audit import AuditLog
from conductor.storage.conversations import MessageNode
from conductor.storage.database import Database
from conductor.storage.keys import Keys, KeySource
from conductor.tools.approval.approvals import Approvals
from conductor.tools.change_prover import ReplayChangeProver
from conductor.tools.context import RuntimeContext
from conductor.tools.registry import Tool

if TYPE_CHECKING:
    from conductor.knowledge.library import KnowledgeBase
    from conductor.skills.library import SkillLibrary as Skills

_Reply = TypeVar("_Reply")


class Shell(Protocol):
    """The functions of the desktop window, such as saving a file. A page in a browser does these itself.

    Every method may raise `NotAvailable`.
    """

    @property
    def tray(self) -> bool: ...
    @property
    def native(self) -> bool: ...

    def open_url(self, url: str) -> None: ...
    def save_file(self, name: str, content: bytes) -> str | None:
        """Save a file at a path that the user chooses. Return the path, or None if the user cancels."""
        ...

    def save_pdf(self, name: str, svg: str) -> str | None: ...
    def hide_window(self) -> None: ...


class Chat(Protocol):
    """The chat with the assistant, implemented by `agent.chat.Chat`.

    Call the async methods on the event loop and all other methods on worker threads.
    """

    async def send_message(self, request: SendRequest) -> SendResult: ...
    async def stop_answer(self, conversation_id: str) -> None: ...
    async def resume_answer(self, message_id: str) -> object: ...
    async def regenerate_answer(
        self, message_id: str, provider: str | None = None, model: str | None = None
    ) -> SendResult: ...
    async def edit_message(self, message_id: str, parts: tuple[UserPart, ...]) -> SendResult: ...
    async def unqueue_message(self, conversation_id: str, index: int) -> None: ...
    async def compact_conversation(self, conversation_id: str) -> object: ...
    def list_conversations(
        self, query: str = "", limit: int = 100, before_id: str | None = None
    ) -> Sequence[Conversation]: ...
    def open_conversation(
        self, conversation_id: str, tip_id: str | None = None, limit: int | None = None
    ) -> tuple[Conversation, tuple[ChatMessage, ...], RunEvent]:
        """Return a conversation, the last messages of one branch (oldest first), and the status of its answer.

        The branch ends at `tip_id`, or is the one that is shown if `tip_id` is None.

        Raises:
            UnknownConversation: No conversation has this id.
        """
        ...

    def list_message_nodes(self, conversation_id: str) -> Sequence[MessageNode]:
        """Return the parent and the children of each message, oldest first."""
        ...

    def rename_conversation(self, conversation_id: str, title: str) -> None: ...
    def delete_conversation(self, conversation_id: str) -> None: ...
    def choose_branch(self, conversation_id: str, tip_id: str) -> None: ...
    def set_model(self, conversation_id: str, provider: str, model: str | None) -> None: ...
    def export_conversation(
        self, conversation_id: str, form: Literal["markdown", "json"]
    ) -> str: ...
    def list_suggestions(self) -> Sequence[str]: ...
    def find_mentions(self, query: str) -> Sequence[MentionPart]: ...
    def convert_attachment(self, name: str, content: bytes) -> UserPart: ...


class Providers(Protocol):
    """The model providers of the config, implemented by `llm.service.Providers`."""

    def list_provider_rows(self) -> Sequence[ProviderRow]: ...
    def order_provider_names(self) -> tuple[str, ...]: ...
    def get_checked_health(self, row: ProviderRow) -> ProviderHealth | None: ...
    def get_provider(self, name: str) -> Provider:
        """Return a provider that is ready for requests.

        Raises:
            NotAvailable: The provider cannot be used. The message says why and what to do.
        """
        ...

    async def preload_first_provider(self) -> None: ...
    def clear(self) -> None: ...


class UsageLog(Protocol):
    """The costs of model requests, implemented by `storage.usage.UsageLog`."""

    def sum_cost(self, since: datetime) -> float: ...
    def summarize_costs(self, since: datetime) -> Costs: ...


class Llm(Protocol):
    """The keys, providers and costs of model requests, implemented by `app.llm_services.LlmServices`."""

    @property
    def keys(self) -> Keys: ...
    @property
    def providers(self) -> Providers: ...
    @property
    def usage(self) -> UsageLog: ...
    def find_key_source(self, name: str) -> KeySource | None: ...
    def update_prices(self) -> None:
        """Download the newest prices of models.

        Raises:
            NotAvailable: They could not be downloaded or saved.
        """
        ...

    def find_price_update_time(self) -> datetime | None:
        """Return when the user downloaded the prices in use, or None if they came with Conductor."""
        ...


class SignIns(Protocol):
    """The sign-ins to MCP servers, implemented by `mcp.registry.sign_ins.ServerSignIns`.

    Call the methods on the event loop.
    """

    async def sign_in(self, name: str) -> SignInRequest: ...
    async def cancel_sign_in(self, name: str) -> ServerView: ...
    async def sign_out(self, name: str) -> ServerView: ...


class Servers(Protocol):
    """The user's MCP servers, implemented by `mcp.registry.servers.Servers`.

    Call the methods on the event loop. Those that take the name of a server may raise `UnknownServer`, and
    those that save changes may raise `NotAvailable`.
    """

    @property
    def sign_ins(self) -> SignIns: ...
    async def list_servers(self) -> ServersView: ...
    async def list_known_servers(self) -> Sequence[KnownServer]: ...
    async def add_known_server(
        self, server_id: str, name: str, values: Mapping[str, str], by: Requester
    ) -> ServerView: ...
    async def add_server(self, name: str, entry: JsonObject, by: Requester) -> ServerView: ...
    async def update_server(self, name: str, entry: JsonObject) -> ServerView: ...
    async def remove_server(self, name: str, by: Requester) -> None: ...
    async def set_server_enabled(self, name: str, by: Requester, *, on: bool) -> ServerView: ...
    async def record_consent(self, name: str, digest: str, by: Requester) -> ServerView: ...
    async def start_server(self, name: str, by: Requester) -> ServerView: ...
    async def stop_server(self, name: str) -> ServerView: ...
    async def restart_server(self, name: str) -> ServerView: ...
    async def test_server(self, name: str) -> ServerTested: ...
    async def read_server_log(self, name: str) -> Sequence[str]: ...
    async def set_tool_enabled(
        self, server: str, tool: str, by: Requester, *, on: bool
    ) -> ServerView: ...
    async def accept_tool_change(
        self, server: str, tool: str, digest: str | None = None
    ) -> ServerView: ...
    async def list_importable_servers(self) -> Sequence[ImportSource]: ...
    async def import_servers(
        self, client: str, names: Sequence[str], by: Requester, *, replace: bool = False
    ) -> ImportResult: ...


class Questions(Protocol):
    """The questions of MCP servers to the user, implemented by `mcp.registry.user_questions.UserQuestions`.

    Call the methods on the event loop.
    """

    def list_pending_questions(self) -> Sequence[QuestionView]: ...
    def submit_answer(
        self, question_id: str, action: QuestionAction, content: JsonObject | None
    ) -> None:
        """Send the user's answer to the MCP server that asked the question.

        Raises:
            InvalidParams: The content does not match the form, or the server no longer waits for an answer.
        """
        ...


class ServerApps(Protocol):
    """The pages of MCP servers, implemented by `mcp.server_apps.ServerApps`.

    Call the methods on the event loop. Every method may raise `NotAvailable`, `NotAllowed` or
    `InvalidParams`.
    """

    async def open_page(self, tool: str) -> AppPage | None: ...
    async def call_tool(
        self, server: str, tool: str, arguments: JsonObject, by: Requester
    ) -> JsonObject: ...
    async def read_resource(self, server: str, uri: str) -> JsonObject: ...


class BrowserPages(Protocol):
    """The pages that are open in browsers, implemented by `bridge.browser_pages.BrowserPages`."""

    def list_sessions(self) -> Sequence[PageSession]: ...
    def confirm_page(self, number: int) -> PageSession:
        """Allow the page with this number to make changes.

        Raises:
            NotAvailable: No page has this number.
        """
        ...


class AppInfo(NamedTuple):
    """Facts about the running Conductor, and the function that ends it."""

    version: str
    home: Path
    demo: bool
    read_only_reason: str | None
    """Why the config cannot be changed, or None if it can."""
    requester: Requester
    """The requester of commands from the window, which is the user."""
    quit: Callable[[], None]


class ConfigServices(NamedTuple):
    """The services for the config, its changes and their proofs."""

    store: ConfigStore
    plans: Plans
    prover: ReplayChangeProver
    forget_example: Callable[[str], bool]
    """Deletes a saved example and returns whether it existed. May raise `NotAvailable`."""
    database: Callable[[], Database]
    """Opens the database of versions and examples. May raise `NotAvailable`."""
    find_missing: FindMissingParts
    """Lists the devices, programs, MCP servers and tools that a config uses and this computer lacks."""


class NamingService(Protocol):
    """Provides the printed names of the controls on the user's devices."""

    def get_names(self) -> ControlNames:
        """Return the names that are loaded so far.

        When more names are loaded, pages receive the event `names`.
        """
        ...

    def reload_names(self) -> None:
        """Load the control names again in the background, after a device profile has changed."""
        ...


class EngineServices(Protocol):
    """The engine process. All methods block, so call them on a worker thread."""

    @property
    def is_running(self) -> bool: ...
    @property
    def pause_lease(self) -> PauseLease: ...
    @property
    def recording(self) -> RecordingStore: ...

    def perform_action(self, action: Action) -> None:
        """Perform an action once in the engine.

        Raises:
            ActionFailed: The action failed.
            NotAvailable: The engine does not answer.
        """
        ...

    def send_request(self, request: RequestFor[_Reply]) -> _Reply:
        """Send a request to the engine and return its reply.

        Raises:
            NotAvailable: The engine does not answer.
        """
        ...

    def list_virtual_controls(self) -> list[JsonObject]: ...
    def play_virtual_control(self, do: str, control: str, value: int | None) -> None: ...
    def restart_engine(self) -> None: ...


class LearnSessions(Protocol):
    """The MIDI Learn sessions, of which each client has its own. Implemented by `runtime.learn_sessions`."""

    async def start_session(self, by: Requester, timeout_ms: int) -> str:
        """Start capturing for a client and return the id of the session."""
        ...

    def extend_session(self, by: Requester, timeout_ms: int) -> None:
        """Extend a client's session to end after the timeout from now on."""
        ...

    async def list_events(self, by: Requester | None) -> CapturedEvents: ...
    async def stop_session(self, by: Requester) -> CapturedEvents: ...
    async def end_session(self, session_id: str) -> None:
        """End a session of any client. Its events stay readable."""
        ...

    def list_active_sessions(self) -> tuple[MidiLearnSession, ...]: ...


class DesktopServices(NamedTuple):
    """The services of the desktop: the window and the apps in the foreground."""

    shell: Shell
    foreground: ForegroundApps


class GateServices(NamedTuple):
    """The services of the gate: the tools, the permission to call them, and the audit log."""

    tools: Callable[[], Sequence[Tool]]
    """Returns all tools, including those that are turned off."""
    find_refusal: Callable[[Tool], str | None]
    """Returns why a tool cannot be called now, or None if it can."""
    approvals: Approvals
    audit: AuditLog


class ServerServices(NamedTuple):
    """The services for MCP servers: the registry, the questions to the user, and the pages of the servers."""

    registry: Servers
    questions: Questions
    apps: ServerApps
    app_pages: AppPages


class Services(Protocol):
    """The services that the commands of a page use, grouped by subject."""

    @property
    def app(self) -> AppInfo: ...
    @property
    def config(self) -> ConfigServices: ...
    @property
    def engine(self) -> EngineServices: ...
    @property
    def names(self) -> NamingService: ...
    @property
    def runtime(self) -> RuntimeContext: ...
    @property
    def learn(self) -> LearnSessions: ...
    @property
    def desktop(self) -> DesktopServices: ...
    @property
    def gate(self) -> GateServices: ...
    @property
    def chat(self) -> Chat: ...
    @property
    def llm(self) -> Llm: ...
    @property
    def knowledge(self) -> "KnowledgeBase": ...
    @property
    def skills(self) -> "Skills": ...
    @property
    def servers(self) -> ServerServices: ...
    @property
    def pages(self) -> BrowserPages: ...
    @property
    def voice(self) -> Voice: ...
    @property
    def remote(self) -> RemoteAccess: ...
    @property
    def a2a(self) -> A2aListener: ...
    @property
    def code(self) -> CodeRunner: ...
    def publish(self, topic: Topic[Payload], payload: Payload, /) -> None:
        """Send an event to every page. Safe to call from any thread."""
        ...


class Page(Protocol):
    """The page that calls a command: the one in the window, or one in a browser."""

    @property
    def is_watching_traces(self) -> bool: ...
    @property
    def session(self) -> PageSession | None:
        """The session of a page in a browser. None for the page in the window."""
        ...

    def set_trace_watching(self, *, on: bool) -> None:
        """Start or stop sending the traces of events to the page."""
        ...


class Call(NamedTuple):
    """The context of a call: the services and the page that calls the command."""

    services: Services
    page: Page

    @property
    def requester(self) -> Requester:
        """Return who makes the call: the user for the window, or the requester of a page in a browser."""
        session = self.page.session
        return self.services.app.requester if session is None else session.requester

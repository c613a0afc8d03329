"""The contexts that tools receive. A context offers only what the tier of the tool allows."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from conductor.domain.config import Config
from conductor.domain.control_names import ControlNames
from conductor.domain.engine_replies import SwitchModeReply
from conductor.domain.events import CapturedEvents, InputEvent
from conductor.domain.knowledge import ScoredChunk
from conductor.domain.knowledge_domains import Domain
from conductor.domain.plan import ConfigPlan, Requester
from conductor.domain.servers import ServerView
from conductor.domain.validate import Problem, Report
from conductor.domain.versions import VersionKind
from conductor.domain.wire_rows import DeviceRow, ExplainedTraceRow, StatusRow
from conductor.tools.capabilities import Abilities


class ConfigVersion(NamedTuple):
    """A saved version of the config, as the tools that list the history show it."""

    id: int
    at: datetime
    reason: str
    kind: VersionKind
    by: str | None
    """Who made the version. None if the file was edited directly."""
    current: bool
    text: str


class ReadContext(Protocol):
    """The context of tools that only read. It offers no way to change anything."""

    @property
    def config(self) -> Config: ...
    @property
    def config_text(self) -> str: ...
    @property
    def config_hash(self) -> str: ...
    @property
    def config_path(self) -> str: ...
    @property
    def report(self) -> Report: ...
    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems because of which the config file is not loaded."""
        ...

    def list_devices(self) -> list[DeviceRow]: ...

    async def list_plugins(self) -> Sequence[ServerView]:
        """Return the MCP servers in `mcp.json` with their status."""
        ...

    async def find_missing_parts(self) -> Sequence[Problem]:
        """Return a warning for each port, program, server or tool that the config uses and that is missing."""
        ...

    def get_active_mode(self) -> str: ...
    async def read_status(self) -> StatusRow:
        """Return the status of the app, the engine and the devices, which is the result of
        `conductor_get_status`.
        """
        ...

    def read_control_names(self) -> ControlNames:
        """Return the printed names of the controls on the user's devices, as far as they are loaded."""
        ...

    async def list_recent_events(self, limit: int) -> list[InputEvent]: ...
    async def list_captured_events(self) -> CapturedEvents: ...
    async def explain_event(self, sequence: int | None) -> ExplainedTraceRow | None:
        """Return the explained trace of an event, by default the last one.

        Return None if the event is no longer stored.
        """
        ...

    async def get_plan(self, plan_id: str) -> ConfigPlan:
        """Return the plan with this id.

        Raises:
            UnknownPlan: No plan that the caller may see has this id.
        """
        ...

    async def list_plans(self) -> Sequence[ConfigPlan]:
        """Return the stored plans that the caller may see, newest first."""
        ...

    async def hides_plans(self) -> bool:
        """Return whether other programs have plans that the caller may not see."""
        ...

    async def list_versions(self, limit: int, before: int | None) -> Sequence[ConfigVersion]:
        """Return at most `limit` saved versions of the config, newest first.

        With `before`, return only versions with a lower number.

        Raises:
            NotAvailable: No versions are saved, or they cannot be read.
        """
        ...

    async def search_knowledge(
        self, query: str, k: int, domain: Domain | None
    ) -> Sequence[ScoredChunk]:
        """Return at most `k` reference texts that match a query, best first.

        Raises:
            NotAvailable: The knowledge base is switched off, or there is no index.
        """
        ...

    async def read_skill(self, name: str, file: str, start: int) -> tuple[str, int | None]:
        """Return a part of a skill's file from the offset `start`, and the offset at which to continue or
        None at the end.

        Raises:
            UnknownSkill: The skill or the file does not exist.
        """
        ...


class RuntimeContext(ReadContext, Protocol):
    """The context of tools that change the state of the running engine, but nothing that is saved."""

    async def switch_mode(self, mode: str) -> SwitchModeReply: ...
    async def set_device_enabled(self, device_id: str, *, enabled: bool) -> None: ...
    async def set_device_connected(self, device_id: str, *, connected: bool) -> None: ...
    async def rescan(self) -> None: ...
    async def start_learn(self, timeout_ms: int) -> None: ...
    async def stop_learn(self) -> CapturedEvents: ...
    def panic(self) -> None: ...


class HardwareContext(ReadContext, Protocol):
    """The context of tools that also send to MIDI outputs."""

    async def send_midi(self, port: str, messages: Sequence[bytes]) -> None:
        """Send messages to the MIDI output with this alias, name or part of a name.

        Raises:
            NotAllowed: The output leads back to an input that Conductor listens to.
            ActionFailed: The output does not exist, or it rejects the messages.
        """
        ...

    async def request_sysex(self, port: str, data: bytes) -> tuple[ConfigPlan, str]:
        """Create a plan that the user must approve, and a token with which the message can be sent
        afterwards.
        """
        ...

    async def send_approved_sysex(self, port: str, data: bytes, token: str) -> None:
        """Send the message of an approved plan. Its token can be used once."""
        ...


class SkillContext(ReadContext, Protocol):
    """The context of built-in skills.

    It offers the capabilities of the assistant and cannot change the config.
    """

    @property
    def requester(self) -> Requester: ...
    @property
    def abilities(self) -> Abilities: ...


class RequestContext(ReadContext, Protocol):
    """The context of tools that ask to apply an approved plan."""

    @property
    def requester(self) -> Requester: ...
    async def apply_if_approved(self, plan_id: str) -> ConfigPlan: ...

"""What a tool is handed, by tier. Each context can do what its tier allows and no more."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from conductor.domain.config import Config
from conductor.domain.events import InputEvent
from conductor.domain.knowledge import Domain, Found
from conductor.domain.plan import ConfigPlan, Requester
from conductor.domain.servers import ServerView
from conductor.domain.validate import Problem, Report
from conductor.tools.capabilities import Abilities


class Captured(NamedTuple):
    """What MIDI Learn heard; times are on the engine's clock."""

    events: list[InputEvent]
    started_at: float


class ConfigVersion(NamedTuple):
    """One kept version of the config."""

    id: int
    at: datetime
    reason: str
    by: str | None
    """Who had it made; None for what was found in the file."""
    current: bool
    text: str


class ReadContext(Protocol):
    """Looks, and changes nothing."""

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
        """What keeps the file on disk from being the running config."""
        ...

    def devices(self) -> list[dict[str, Any]]:
        """Return `DeviceStatus` records as plain data."""
        ...

    async def plugins(self) -> Sequence[ServerView]:
        """Return the MCP servers of `mcp.json`, as they stand."""
        ...

    async def missing(self) -> Sequence[Problem]:
        """Return warnings of ports, programs, servers and tools that the config needs and lacks."""
        ...

    def active_mode(self) -> str: ...
    async def status(self) -> dict[str, Any]:
        """Return what `conductor_get_status` tells."""
        ...

    async def recent_events(self, limit: int) -> list[InputEvent]: ...
    async def captured_events(self) -> Captured: ...
    async def explain(self, sequence: int | None) -> dict[str, Any] | None:
        """Return the trace with this number, or of the last touch, explained; None when it is forgotten."""
        ...

    async def plan(self, plan_id: str) -> ConfigPlan:
        """Return a plan.

        Raises:
            UnknownPlan: there is none with this id.
        """
        ...

    async def plans(self) -> Sequence[ConfigPlan]:
        """Return the plans that are kept and that the caller may be shown, the newest first."""
        ...

    async def hides_plans(self) -> bool:
        """Check whether plans are kept that the caller may not be shown."""
        ...

    async def versions(self, limit: int, before: int | None) -> Sequence[ConfigVersion]:
        """Return the kept versions of the config, the newest first, or the newest before one.

        Raises:
            NotAvailable: none are kept, or they cannot be read.
        """
        ...

    async def search_knowledge(self, query: str, k: int, domain: Domain | None) -> Sequence[Found]:
        """Return reference texts that fit, best first.

        Raises:
            NotAvailable: they are switched off, or there is no index.
        """
        ...

    async def read_skill(self, name: str, file: str, start: int) -> tuple[str, int | None]:
        """Return a file of a skill from a character on, as a model is told it, and where to read on.

        Raises:
            UnknownSkill: there is no such skill, or it has no such file.
        """
        ...


class RuntimeContext(ReadContext, Protocol):
    """Also changes what runs, but nothing that is saved."""

    async def switch_mode(self, mode: str) -> dict[str, Any]: ...
    async def set_device_enabled(self, device_id: str, *, enabled: bool) -> None: ...
    async def set_device_connected(self, device_id: str, *, connected: bool) -> None: ...
    async def rescan(self) -> None: ...
    async def start_learn(self, timeout_ms: int) -> None: ...
    async def stop_learn(self) -> Captured: ...
    def panic(self) -> None: ...


class HardwareContext(ReadContext, Protocol):
    """Also sends to outputs."""

    async def send_midi(self, port: str, messages: Sequence[bytes]) -> None:
        """Send to the output with this alias, name or part of a name.

        Raises:
            NotAllowed: the port sends back what it is sent, and Conductor listens to it.
            ActionFailed: there is no such output, or it does not take the messages.
        """
        ...

    async def ask_for_sysex(self, port: str, data: bytes) -> tuple[ConfigPlan, str]:
        """Make a plan that waits for the user's approval, and the token that goes with it."""
        ...

    async def send_approved_sysex(self, port: str, data: bytes, token: str) -> None:
        """Send, once, what the token was made for and the user has approved."""
        ...


class SkillContext(ReadContext, Protocol):
    """What the assistant's own abilities work with; none of it touches the config."""

    @property
    def requester(self) -> Requester: ...
    @property
    def abilities(self) -> Abilities: ...


class RequestContext(ReadContext, Protocol):
    """Also asks for an approved plan to be applied, in the name of somebody."""

    @property
    def requester(self) -> Requester: ...
    async def apply_if_approved(self, plan_id: str) -> ConfigPlan: ...

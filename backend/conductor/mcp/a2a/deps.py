"""The services that the A2A server depends on. `app` provides them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from conductor.domain.a2a import A2aStatus
from conductor.domain.plan import ConfigPlan, Requester
from conductor.domain.settings import LlmSettings
from conductor.mcp.server.deps import Gate, Plans
from conductor.storage.audit import AuditWriter


class ModelAnswer(NamedTuple):
    """What the user's model answered to a request in plain text: words, and a plan if it proposed one."""

    text: str
    plan: ConfigPlan | None = None


AskModel = Callable[[str, Requester], Awaitable[ModelAnswer]]
"""Answers a text of a program with the user's model, whose tool calls are calls of that program.

Raises NotAvailable if no model is set up, the model fails, or a spending limit is reached.
"""


@dataclass(frozen=True)
class A2aDeps:
    """The services that the tasks of other agents use, such as the gate and the plans."""

    gate: Gate
    plans: Plans
    settings: Callable[[], LlmSettings]
    audit: AuditWriter
    ask_model: AskModel
    load_database_library: Callable[[], None]
    """Imports SQLAlchemy, which two threads must not import at the same time."""
    version: str
    home: Path
    report_problem: Callable[[str | None], None]
    """Shows the user why agents cannot be served, or None once they can."""
    on_status_change: Callable[[A2aStatus], None]
    """Called when the server was started or stopped, or its problem has changed. Safe in any thread."""

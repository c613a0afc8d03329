"""Which plans `conductor chat` may approve: those that its own connection asked for, as it showed them."""

import json
import tomllib
from collections import Counter
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from conductor.base.atomic import hash_of
from conductor.domain.plan import StoredPlan
from conductor.errors import NotAllowed
from conductor.mcp.server.peer import Peer

if TYPE_CHECKING:
    from conductor.domain.chat.events import ChatEvent

KEPT = 500
PROGRAMS = ("shell", "launch", "plugin")
"""Plugin too: from then on the control calls a program of others unasked."""


class ChatPlans:
    """Remembers which connection asked for an answer, and which plans came of it."""

    def __init__(self) -> None:
        self._asked_by: dict[str, int] = {}
        self._made_by: dict[str, str] = {}

    def ask(self, message_id: str, peer: Peer | None) -> None:
        """Take note of who asked for an answer; the first one stays it."""
        if peer is not None:
            _keep(self._asked_by, message_id, peer.connection)

    def hear(self, news: "ChatEvent") -> None:
        """Take note of a plan that an answer made."""
        if news.type == "part" and news.part.type == "tool_result" and news.part.plan_id:
            _keep(self._made_by, news.part.plan_id, news.message_id)

    def require(self, stored: StoredPlan, text: str, shown: object, connection: int | None) -> None:
        """Check that a plan may be approved where it was shown. `text` is the config as it is now.

        Raises:
            NotAllowed: it is to be approved elsewhere; says where.
        """
        plan = stored.plan
        elsewhere = f"approve it in the window, or with `conductor plans approve {plan.plan_id}`"
        asked_by = self._asked_by.get(self._made_by.get(plan.plan_id, ""))
        if plan.requested_by.caller != "chat" or asked_by is None or asked_by != connection:
            raise NotAllowed(f"the chat here did not make this plan: {elsewhere}")
        if shown != hash_of(plan.diff_preview.encode()):
            raise NotAllowed(f"what was shown is not what this plan changes: {elsewhere}")
        if plan.diff_is_cut:
            raise NotAllowed(f"the change is too long to be shown whole here: {elsewhere}")
        if stored.action is not None and any(_with_programs(stored.action)):
            raise NotAllowed(f"the plan starts a program: {elsewhere}")
        if programs(stored.new_text) - programs(text):
            raise NotAllowed(f"the plan lets a control start a program: {elsewhere}")
        if plan.privileged:
            raise NotAllowed(f"the plan changes what keeps agents in check: {elsewhere}")


def programs(text: str) -> Counter[str]:
    """Count what starts programs in a config: each such action, and each mapping that has one."""
    return Counter(json.dumps(one, default=str) for one in _with_programs(tomllib.loads(text)))


def _with_programs(node: Any) -> Generator[dict[str, Any]]:
    if isinstance(node, list):
        for one in node:  # pyright: ignore[reportUnknownVariableType]
            yield from _with_programs(one)
    elif isinstance(node, dict):
        inner = [found for one in node.values() for found in _with_programs(one)]  # pyright: ignore[reportUnknownVariableType]
        if str(node.get("type")).casefold() in PROGRAMS or (inner and "trigger" in node):  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
            yield node
        yield from inner


def _keep(known: dict[str, Any], key: str, item: int | str) -> None:
    known.setdefault(key, item)
    while len(known) > KEPT:
        del known[next(iter(known))]

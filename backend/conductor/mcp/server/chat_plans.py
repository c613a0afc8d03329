"""Decides which plans `conductor chat` may approve.

These are only plans that its own connection requested and displayed in full.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from conductor.base.atomic import hash_bytes
from conductor.base.json_types import JsonObject
from conductor.domain.plan import StoredPlan
from conductor.errors import NotAllowed
from conductor.mcp.server.peer import Peer

if TYPE_CHECKING:
    from conductor.domain.chat.events import ChatEvent

MAX_RECORDED_ANSWERS = 500
PROGRAM_ACTION_TYPES = ("shell", "launch", "plugin")
"""The types of actions that start programs.

`plugin` is one of them, because it calls a program without another approval.
"""


class ChatPlans:
    """Remembers which connection requested each answer, and which answer created each plan."""

    def __init__(self) -> None:
        self._connection_by_message: dict[str, int] = {}
        self._message_by_plan: dict[str, str] = {}

    def on_request(self, message_id: str, peer: Peer | None) -> None:
        """Remember the connection that requested an answer.

        A later request for the same answer does not replace it.
        """
        if peer is not None:
            _add_recent_entry(self._connection_by_message, message_id, peer.connection)

    def on_chat_event(self, event: "ChatEvent") -> None:
        """Remember which answer created a plan, if the chat event is about a plan."""
        if event.type == "part" and event.part.type == "tool_result" and event.part.plan_id:
            _add_recent_entry(self._message_by_plan, event.part.plan_id, event.message_id)

    def require_approvable_plan(
        self, stored: StoredPlan, text: str, shown: object, connection: int | None
    ) -> None:
        """Check that the connection may approve the plan.

        `text` is the current config, and `shown` is the hash of the diff that the connection displayed.

        Raises:
            NotAllowed: The plan must be approved elsewhere. The message says where.
        """
        plan = stored.plan
        elsewhere = f"approve it in the window, or with `conductor plans approve {plan.plan_id}`"
        asked_by = self._connection_by_message.get(self._message_by_plan.get(plan.plan_id, ""))
        if plan.requested_by.caller != "chat" or asked_by is None or asked_by != connection:
            raise NotAllowed(f"this chat did not create the plan: {elsewhere}")
        if shown != hash_bytes(plan.diff_preview.encode()):
            raise NotAllowed(f"the plan is not the one that was shown: {elsewhere}")
        if plan.diff_is_cut:
            raise NotAllowed(f"the change is too long to show in full here: {elsewhere}")
        if stored.action is not None and any(_find_program_actions(stored.action)):
            raise NotAllowed(f"the plan starts a program: {elsewhere}")
        if count_program_actions(stored.new_text) - count_program_actions(text):
            raise NotAllowed(f"the plan lets a control start a program: {elsewhere}")
        if plan.privileged:
            raise NotAllowed(f"the plan changes what agents are allowed to do: {elsewhere}")


def count_program_actions(text: str) -> Counter[str]:
    """Count the actions in a config that start programs, together with the mappings that contain them."""
    return Counter(
        json.dumps(node, default=str) for node in _find_program_actions(tomllib.loads(text))
    )


def _find_program_actions(node: Any) -> Generator[JsonObject]:
    if isinstance(node, list):
        for item in node:  # pyright: ignore[reportUnknownVariableType]
            yield from _find_program_actions(item)
    elif isinstance(node, dict):
        inner = [found for item in node.values() for found in _find_program_actions(item)]  # pyright: ignore[reportUnknownVariableType]
        if str(node.get("type")).casefold() in PROGRAM_ACTION_TYPES or (
            inner and "trigger" in node
        ):  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
            yield node
        yield from inner


def _add_recent_entry(entries: JsonObject, key: str, value: int | str) -> None:
    entries.setdefault(key, value)
    while len(entries) > MAX_RECORDED_ANSWERS:
        del entries[next(iter(entries))]

"""Defines the PushToTalk action, which listens to the microphone while a control is held."""

from typing import Literal

from conductor.domain.actions.base import ActionBase, Fire
from conductor.domain.ports import Ports
from conductor.errors import ActionFailed

NOT_HELD_MESSAGE = (
    "PushToTalk listens only while a control is held: use a trigger that is held,"
    " such as a pad or a button"
)


class PushToTalkAction(ActionBase):
    """Listens while held; what it hears goes into the chat."""

    type: Literal["PushToTalk"] = "PushToTalk"

    def run(self, fire: Fire, ports: Ports) -> None:
        """Raise an error, because the microphone must never be opened without a release that closes it."""
        raise ActionFailed(NOT_HELD_MESSAGE)

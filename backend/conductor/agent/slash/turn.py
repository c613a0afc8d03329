"""Answers a slash command without a model, through the same tools, plans and messages as a model's answer."""

import asyncio
from collections.abc import Sequence
from typing import assert_never

from conductor.agent.answer import Answer
from conductor.agent.calls import Calls
from conductor.agent.deps import ChatDeps
from conductor.agent.live_context import EVENTS
from conductor.agent.skills import in_force, listed, named, text_of
from conductor.agent.slash.commands import (
    SlashAnswer,
    SlashCall,
    SlashSkill,
    SlashText,
    SlashView,
    is_command,
    parse,
    sentence,
)
from conductor.agent.slash.render import render_result
from conductor.agent.tools_for_model import named_in
from conductor.agent.turn import End
from conductor.domain.chat.messages import MentionPart, TextPart, ToolCallPart, UserPart
from conductor.domain.plan import TYPED, Requester
from conductor.errors import NotAvailable, NothingToUndo
from conductor.tools.executor import Outcome

COMMAND = Requester(caller="chat", client=TYPED)


class SlashTurn:
    """One command."""

    def __init__(self, desk: ChatDeps, answer: Answer, text: str) -> None:
        self._desk = desk
        self._answer = answer
        self._text = text

    async def run(self) -> End:
        """Write the answer; the caller ends it."""
        answer = await asyncio.to_thread(self._parsed)
        match answer:
            case SlashText() | SlashView():
                self._answer.say(answer.text)
            case SlashCall():
                await self._call(answer)
            case SlashSkill():
                await self._skill(answer.name)
            case _:  # pragma: no cover - the type checker proves that there is no other
                assert_never(answer)
        return End("complete")

    def _parsed(self) -> SlashAnswer:
        try:
            lately = self._desk.lately(EVENTS)
        except NotAvailable:
            lately = ()
        return parse(self._text, self._desk.config(), lately)

    async def _skill(self, name: str | None) -> None:
        """Have a skill in force from here on, or list them all."""
        shelf = self._desk.skills
        if shelf is None:
            self._answer.say("There are no skills here.")
        elif name is None:
            self._answer.say(await asyncio.to_thread(lambda: listed(shelf(), self._in_force())))
        else:
            text, found = await asyncio.to_thread(lambda: named(shelf(), name, self._in_force()))
            if found is None:
                self._answer.say(text)
            else:
                content = await asyncio.to_thread(lambda: text_of(shelf(), found))
                self._answer.note("skill", text, skill=found, tools=named_in(content))

    def _in_force(self) -> tuple[str, ...]:
        message = self._answer.message
        branch = self._desk.conversations.branch
        return in_force(branch(message.conversation_id, message.parent_id))

    async def _call(self, asked: SlashCall) -> None:
        call = ToolCallPart(
            call_id=f"slash_{self._answer.message.message_id}",
            tool=asked.tool,
            arguments=asked.arguments,
        )
        self._answer.call(call)
        conversation = self._answer.message.conversation_id
        by = COMMAND.model_copy(update={"conversation_id": conversation})
        outcome = await Calls(self._desk, self._answer).one(call, by)
        if outcome is not None:
            self._answer.say(outcome_words(asked, outcome))


def outcome_words(asked: SlashCall, outcome: Outcome) -> str:
    """Return what came of a command."""
    if outcome.error is not None:
        why = sentence(str(outcome.error))
        return (
            why if outcome.error.code == NothingToUndo.code else f"Not done: {asked.words}. {why}"
        )
    if asked.tool == "conductor_update_mapping":
        return f"{asked.words}. Nothing changes before you apply it."
    return render_result(asked.tool, outcome.plain())


def command_of(parts: Sequence[UserPart]) -> str | None:
    """Return the slash command that a message is, if it is one; what is mentioned in it counts as written."""
    texts = [
        part.text if isinstance(part, TextPart) else part.label
        for part in parts
        if isinstance(part, TextPart | MentionPart)
    ]
    return " ".join(texts) if texts and is_command(texts[0]) else None

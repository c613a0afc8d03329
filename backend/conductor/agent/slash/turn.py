"""Answers a slash command without a model, with the same tools, plans and messages as the answer of a model."""

import asyncio
from collections.abc import Sequence
from typing import assert_never

from conductor.agent.answer import Answer
from conductor.agent.calls import ToolCallRunner
from conductor.agent.deps import ChatDeps
from conductor.agent.live_context import MAX_RECENT_EVENTS
from conductor.agent.skills import (
    activate_skill_by_name,
    list_active_skills,
    load_skill_text,
    render_skill_list,
)
from conductor.agent.slash.commands import (
    SlashAnswer,
    SlashCall,
    SlashSkill,
    SlashText,
    SlashView,
    format_sentence,
    is_slash_command,
    parse_command,
)
from conductor.agent.slash.render import render_result
from conductor.agent.tools_for_model import find_tool_names
from conductor.agent.turn import TurnEnd
from conductor.domain.chat.messages import MentionPart, TextPart, ToolCallPart, UserPart
from conductor.domain.plan import SLASH_COMMAND_CLIENT, Requester
from conductor.errors import NotAvailable, NothingToUndo
from conductor.tools.executor import ToolOutcome

COMMAND_REQUESTER = Requester(caller="chat", client=SLASH_COMMAND_CLIENT)


class SlashTurn:
    """Runs one slash command and writes its result into an answer, without a model."""

    def __init__(self, deps: ChatDeps, answer: Answer, text: str) -> None:
        self._deps = deps
        self._answer = answer
        self._text = text

    async def run(self) -> TurnEnd:
        """Run the slash command and write the result into the answer. The caller ends the answer."""
        answer = await asyncio.to_thread(self._parse_command)
        match answer:
            case SlashText() | SlashView():
                self._answer.add_text(answer.text)
            case SlashCall():
                await self._call_tool(answer)
            case SlashSkill():
                await self._activate_skill(answer.name)
            case _:  # pragma: no cover - unreachable: the type checker has checked every case
                assert_never(answer)
        return TurnEnd("complete")

    def _parse_command(self) -> SlashAnswer:
        try:
            events = self._deps.recent_events_sync(MAX_RECENT_EVENTS)
        except NotAvailable:
            events = ()
        names, mode = self._deps.control_names(), self._deps.app_state().mode
        return parse_command(self._text, self._deps.config(), events, names, mode)

    async def _activate_skill(self, name: str | None) -> None:
        """Activate the named skill in this conversation, or list all skills if there is no name."""
        load = self._deps.skills
        if load is None:
            self._answer.add_text("Skills are not available.")
        elif name is None:
            self._answer.add_text(
                await asyncio.to_thread(
                    lambda: render_skill_list(load(), self._list_active_skills())
                )
            )
        else:
            text, found = await asyncio.to_thread(
                lambda: activate_skill_by_name(load(), name, self._list_active_skills())
            )
            if found is None:
                self._answer.add_text(text)
            else:
                content = await asyncio.to_thread(lambda: load_skill_text(load(), found))
                self._answer.add_note("skill", text, skill=found, tools=find_tool_names(content))

    def _list_active_skills(self) -> tuple[str, ...]:
        message = self._answer.message
        branch = self._deps.conversations.list_branch_messages
        return list_active_skills(branch(message.conversation_id, message.parent_id))

    async def _call_tool(self, request: SlashCall) -> None:
        call = ToolCallPart(
            call_id=f"slash_{self._answer.message.message_id}",
            tool=request.tool,
            arguments=request.arguments,
        )
        self._answer.add_call(call)
        conversation = self._answer.message.conversation_id
        by = COMMAND_REQUESTER.model_copy(update={"conversation_id": conversation})
        outcome = await ToolCallRunner(self._deps, self._answer).run_call(call, by)
        if outcome is not None:
            self._answer.add_text(describe_outcome(request, outcome))


def describe_outcome(request: SlashCall, outcome: ToolOutcome) -> str:
    """Return a sentence for the user that says what the command did, or why it failed."""
    if outcome.error is not None:
        reason = format_sentence(str(outcome.error))
        if outcome.error.code == NothingToUndo.code:
            return reason
        # On a line of its own, so that the page translates it by itself.
        return f"Not done: {request.words}.\n{reason}"
    return f"{render_result(request.tool, outcome.to_plain())} {request.note}".rstrip()


def find_slash_command(parts: Sequence[UserPart]) -> str | None:
    """Return the slash command in a message, with mentions replaced by their labels.

    Return None if there is none.
    """
    texts = [
        part.text if isinstance(part, TextPart) else part.label
        for part in parts
        if isinstance(part, TextPart | MentionPart)
    ]
    return " ".join(texts) if texts and is_slash_command(texts[0]) else None

"""Sends what the user says with push-to-talk to the chat."""

import asyncio
from datetime import UTC, datetime, timedelta

from conductor.agent.chat import Chat
from conductor.domain.chat.messages import SendRequest
from conductor.domain.chat.parts import TextPart

CONVERSATION_CONTINUES_FOR = timedelta(minutes=30)
"""How long after its last message a conversation receives what is said with push-to-talk."""


async def send_spoken_message(chat: Chat, message: str) -> str:
    """Send what was heard to the conversation that was used last, or to a new one if that is long ago.

    Return the id of the conversation.

    Raises:
        ConductorError: The message could not be sent; the error says why.
    """
    latest = await asyncio.to_thread(chat.conversations.list_conversations, "", 1)
    oldest = datetime.now(UTC) - CONVERSATION_CONTINUES_FOR
    recent = next((one.conversation_id for one in latest if one.updated_at > oldest), None)
    request = SendRequest(conversation_id=recent, parts=(TextPart(text=message),))
    return (await chat.send_message(request)).conversation_id

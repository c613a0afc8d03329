"""What the chat's model does only with the user's word, for a text that it read may order it."""

import asyncio

from tests.tools.gate_world import User, World

from conductor.domain.plan import SLASH_COMMAND_CLIENT, Requester
from conductor.errors import NotAllowed
from conductor.tools.catalog import REGISTRY
from conductor.tools.executor import ToolOutcome


def test_the_chats_model_needs_the_users_word_to_send_write_or_switch_and_a_typed_command_does_not():
    asking = {tool.name for tool in REGISTRY.list_tools() if tool.asks_in_chat}
    model = Requester(caller="chat", client="mock/m", conversation_id="c")
    typed = Requester(caller="chat", client=SLASH_COMMAND_CLIENT, conversation_id="c")
    agent = Requester(caller="mcp", client="claude")

    assert asking == {
        "conductor_send_midi",
        "conductor_switch_mode",
        "conductor_set_device_enabled",
        "conductor_connect_device",
        "conductor_disconnect_device",
        "conductor_add_note",
        "conductor_change_note",
        "conductor_add_task",
        "conductor_change_task",
    }
    sending = REGISTRY.find_tool("conductor_send_midi")
    assert sending is not None
    assert [sending.needs_permission(by) for by in (model, typed, agent)] == [True, False, False]


def test_what_the_model_may_not_do_unasked_is_not_done_when_the_user_says_no():
    user = User(yes=False)
    world = World(user=user, tools=REGISTRY)
    message = {"type": "note_on", "note": 60}
    arguments = {"port": "Synth", "messages": [message]}

    async def call(client: str) -> ToolOutcome:
        by = Requester(caller="chat", client=client, conversation_id="c")
        return await world.executor.call_tool("conductor_send_midi", arguments, by)

    refused = asyncio.run(call("mock/m"))
    assert isinstance(refused.error, NotAllowed)
    assert [one.arguments for one in user.asked] == [arguments]
    asyncio.run(call(SLASH_COMMAND_CLIENT))
    assert len(user.asked) == 1

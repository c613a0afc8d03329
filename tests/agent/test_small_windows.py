"""Tools in a small window: what was asked for last is sent, and what dropped out comes back when it is found again."""

import asyncio
from itertools import pairwise
from pathlib import Path

import pytest
from tests.agent.stage import Scripted, Stage, call, calls, get_notes, say
from tests.llm.asking import user

from conductor.agent.needs import TOOL_PATTERNS, find_needed_tools
from conductor.agent.tools_for_model import choose_tools_to_send, list_found_tools, list_priorities
from conductor.domain.chat.messages import ChatMessage, NotePart
from conductor.tools.catalog import REGISTRY
from conductor.tools.discovery import CORE_TOOLS, UNSEARCHABLE_TOOLS

WINDOWS = (4_096, 6_144, 8_000, 9_000, 12_000, 200_000)
SMALL = 4_096
TOO_SMALL_FOR_ALL = 3_500
"""A window that has no room for all tools that a test finds."""
DELETE = "conductor_delete_mapping"
LEARN = {"conductor_start_midi_learn", "conductor_stop_midi_learn"}
OTHERS = (
    "conductor_calculate",
    "conductor_create_device_identity",
    "conductor_change_task",
    "conductor_change_note",
    "conductor_undo",
)
EVERYTHING = (
    "why did this knob do nothing? change it, simulate it, list all devices and learn every pad"
)


def found(*names: str) -> ChatMessage:
    """Build an answer that found these, best first."""
    note = NotePart(kind="found", text="Found.", tools=names)
    return user("").model_copy(update={"role": "assistant", "parts": (note,)})


def sent(window: int, *branch: ChatMessage) -> list[str]:
    tools = choose_tools_to_send(
        REGISTRY.list_tools(), window, list_found_tools(branch), priorities=list_priorities(branch)
    )
    return [one.name for one in tools][len(CORE_TOOLS) :]


@pytest.mark.parametrize("window", WINDOWS)
def test_what_the_last_message_asks_for_is_sent_in_every_window(window: int):
    said = (
        "change pad 36 to copy",
        "why does this knob do nothing",
        "ok. change pad 36 to paste instead",
    )
    branch = [user(one) for one in said]
    for at, one in enumerate(said, 1):
        assert {*find_needed_tools(one)} <= {*sent(window, *branch[:at])}, one


@pytest.mark.parametrize("window", WINDOWS)
def test_what_was_found_again_is_sent_again(window: int):
    branch = [user("change pad 36 to copy"), found(DELETE), user(EVERYTHING), found(*OTHERS)]
    assert DELETE in sent(window, *branch, found(DELETE))
    assert DELETE in sent(window, *branch, found(DELETE), user("yes, please")), "it stays"


def test_the_newest_found_tool_is_always_sent():
    for tool in REGISTRY.list_tools():
        if tool.name not in (*CORE_TOOLS, *UNSEARCHABLE_TOOLS):
            branch = user(EVERYTHING), found(tool.name, *OTHERS)
            assert tool.name in sent(SMALL, *branch), tool.name


def test_tools_of_a_later_cue_give_way_to_what_was_found():
    """The rest of the main job comes with a later cue only for the provider's cache."""
    branch = [user("why?"), found(DELETE), user("learn it")]
    assert {DELETE, *LEARN} <= {*sent(8_000, *branch)}
    assert {*TOOL_PATTERNS} < {*sent(200_000, *branch)}


@pytest.mark.parametrize("window", [SMALL, 5_000, 6_144, 8_000, 9_000])
@pytest.mark.parametrize("name", sorted(LEARN))
def test_tools_that_belong_together_come_together(window: int, name: str):
    branch = [user("hello"), found(name), user(EVERYTHING), found(*OTHERS)]
    for at in range(2, len(branch) + 1):
        together = LEARN & {*sent(window, *branch[:at])}
        assert len(together) in (0, len(LEARN))
    assert {*sent(window, *branch, found(name))} >= LEARN


def test_a_large_window_keeps_its_list_from_message_to_message():
    branch = [user("why?"), found(DELETE), user("learn it"), found(*OTHERS), user("why?")]
    lists = [sent(200_000, *branch[:at]) for at in range(1, len(branch) + 1)]
    assert [later[: len(one)] for one, later in pairwise(lists)] == lists[:-1]
    assert sent(200_000, *branch, found(DELETE)) == lists[-1]


def test_a_tool_that_dropped_out_comes_back_when_it_is_found_again(tmp_path: Path):
    """A known tool is still announced, because it is not in the request."""
    wishes = [call("discover_skills", f"c_{name}", query=name) for name in (DELETE, *OTHERS)]
    answers = [*(calls(wish) for wish in wishes), calls(call("discover_skills", query=DELETE))]
    model = Scripted("first", *answers, say("Now it can be deleted."), window=TOO_SMALL_FOR_ALL)

    answer = asyncio.run(Stage(tmp_path, model).ask("Hello"))

    has = [DELETE in {tool.name for tool in request.tools} for request in model.requests]
    assert has[1]
    assert not has[-2]
    assert has[-1]
    assert get_notes(answer).count("found") == len(OTHERS) + 2

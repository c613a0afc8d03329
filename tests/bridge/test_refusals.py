"""Commands that need an agent, a microphone or a manual say so when there is none."""

import re

import pytest
from tests.support.page import CommandFailed, Page

from conductor.voice.requirements import NO_RECOGNIZER_MESSAGE


def test_without_remote_access_nobody_asks_and_nothing_can_be_allowed(page: Page) -> None:
    assert page.call("a2a.status") == {"enabled": False, "card_address": None, "problem": None}
    assert page.call("remote.status")["enabled"] is False
    assert page.call("remote.requests")["requests"] == []
    assert page.call("remote.grants")["grants"] == []
    with pytest.raises(CommandFailed):
        page.call("remote.allow", request_id="none", code="123456", scopes=["look"])
    with pytest.raises(CommandFailed):
        page.call("remote.deny", request_id="none")
    with pytest.raises(CommandFailed):
        page.call("remote.revoke", grant_id="none")


def test_a_page_that_did_not_begin_to_listen_hears_nothing(page: Page) -> None:
    assert page.call("voice.cancel") == {}
    with pytest.raises(CommandFailed, match="hold the microphone button"):
        page.call("voice.finish")


def test_the_settings_of_voice_say_what_is_missing(page: Page) -> None:
    assert page.call("voice.status")["problem"] in ("", NO_RECOGNIZER_MESSAGE)
    try:
        names = page.call("voice.microphones")["names"]
    except CommandFailed as refused:  # there may be no microphone here
        names = re.findall("install it|plug one in|start PulseAudio", str(refused))
    assert names


def test_a_page_that_lets_go_of_the_microphone_can_take_it_again(page: Page) -> None:
    refusals: list[str] = []
    for _ in range(2):
        try:
            page.call("voice.start")
        except CommandFailed as refused:  # there may be no microphone here
            refusals.append(str(refused))
        page.call("voice.cancel")
    assert [text for text in refusals if "already listening" in text] == []


def test_a_manual_that_is_not_there_is_not_opened(page: Page) -> None:
    with pytest.raises(CommandFailed, match="manual"):
        page.call("manuals.open", manual_id="none", page=1)

"""A held pad, a real microphone and the whole app: what is said is recognised and arrives in the chat."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.support.page import CommandFailed, Page
from tests.support.prove import ASKED, proves
from tests.support.pulse import PulseServer, pulse_server
from tests.support.running import RunningConductor, running_conductor, short_home, wait_for
from tests.support.speech import VOICES, require_speech, speak_to_file
from tests.voice.commands import NAMES

pytestmark = [pytest.mark.pulse, pytest.mark.speech]
CONFIG = """
[[modes]]
name = "Default"

[[modes.mappings]]
description = "Talk"
trigger = { type = "Note", note = 36 }
action = { type = "PushToTalk" }

[[modes]]
name = "Streaming"

[[modes]]
name = "Lighttable"
"""
AT_ONCE = "\n[settings.voice]\nact_at_once = true\n"


def mapped(names: tuple[str, ...]) -> str:
    rows = (
        f"""
[[global_mappings]]
description = "{name}"
trigger = {{ type = "CC", cc = {number} }}
action = {{ type = "SetVariable", name = "said", value = {number} }}
"""
        for number, name in enumerate(names)
        if not name.startswith("mode ")
    )
    return CONFIG + "".join(rows)


@pytest.fixture(scope="module")
def pulse() -> Generator[PulseServer]:
    require_speech()
    with short_home() as folder, pulse_server(folder, has_microphone=True) as server:
        yield server


@pytest.fixture(scope="module")
def running(pulse: PulseServer) -> Generator[tuple[RunningConductor, Page]]:
    with (
        running_conductor(
            mapped(NAMES[:6]), with_page=True, environment=pulse.environment
        ) as conductor,
        Page(conductor.address()) as page,
    ):
        yield conductor, page


def hold_and_say(page: Page, pulse: PulseServer, spoken: Path) -> dict[str, object]:
    """Hold the virtual pad while a file is played, and return what became of it."""
    page.news.clear()
    page.call("virtual.play", do="press", control="pad1")
    page.wait_news("voice", lambda event: event["state"] in ("listening", "idle"))
    pulse.say(spoken)
    assert pulse.is_recorded()
    page.call("virtual.play", do="release", control="pad1")
    event = page.wait_news("voice", lambda event: event["state"] == "idle")
    assert not pulse.is_recorded()
    return event


def test_a_name_said_while_the_pad_is_held_becomes_a_plan_in_the_chat(
    running: tuple[RunningConductor, Page], pulse: PulseServer, tmp_path: Path
):
    conductor, page = running
    conductor.use(mapped(NAMES[:6]))
    spoken = speak_to_file(tmp_path / "said.wav", "start the stream")
    pulse.say(spoken)  # nobody holds anything
    assert not [payload for _, topic, payload in page.news if topic == "voice"]
    assert not pulse.is_recorded()
    event = hold_and_say(page, pulse, spoken)
    assert (event["text"], event["outcome"], event["by"]) == ("Start the stream", "sent", "Talk")
    plan = page.wait_news("plan", lambda plan: plan["requested_by"]["caller"] == "chat")
    assert plan["status"] == "pending"
    view = page.call("chat.open", conversation_id=event["conversation_id"])
    assert view["messages"][0]["message"]["parts"][0]["text"] == "/do Start the stream"


def test_a_mode_is_switched_at_once_if_the_user_allows_it(
    running: tuple[RunningConductor, Page], pulse: PulseServer, tmp_path: Path
):
    conductor, page = running
    conductor.use(mapped(NAMES[:6]) + AT_ONCE)
    event = hold_and_say(page, pulse, speak_to_file(tmp_path / "said.wav", "mode streaming"))
    assert (event["text"], event["outcome"]) == ("mode Streaming", "performed")
    page.wait_status(mode="Streaming")
    page.call("modes.switch", mode="Default")


def test_the_button_of_the_page_listens_while_it_is_held_and_closes_with_the_page(
    pulse: PulseServer, tmp_path: Path
):
    spoken = speak_to_file(tmp_path / "said.wav", "camera two")
    with running_conductor(
        mapped(NAMES[:6]), with_page=True, environment=pulse.environment
    ) as conductor:
        with Page(conductor.address()) as page:
            page.call("voice.start")
            assert pulse.is_recorded()
            pulse.say(spoken)
            heard = page.call("voice.finish")
            assert heard == {"text": "Camera two", "message": "/do Camera two", "outcome": "send"}
            assert not pulse.is_recorded()
            with pytest.raises(CommandFailed, match="not listening"):
                page.call("voice.finish")
            page.call("voice.start")
            assert pulse.is_recorded()
        wait_for(pulse.is_recorded, lambda is_open: not is_open)


@proves
def test_nine_of_ten_names_are_recognised_through_the_microphone(
    running: tuple[RunningConductor, Page], pulse: PulseServer, tmp_path: Path
):
    conductor, page = running
    cases = list(enumerate(NAMES)) if ASKED else [(1, NAMES[1])]
    names = NAMES if ASKED else NAMES[:6]
    conductor.use(mapped(names) + "\n[settings.voice]\nsend = false\n")
    heard: dict[str, object] = {}
    for number, name in cases:
        spoken = speak_to_file(
            tmp_path / f"{number}.wav",
            name,
            VOICES[number % len(VOICES)],
            speed=140 + 10 * (number % 4),
            snr_db=(30, 25, 20)[number % 3],
            seed=number,
        )
        heard[name] = hold_and_say(page, pulse, spoken)["text"]
    missed = {name: found for name, found in heard.items() if found != name}
    assert len(missed) <= 0.1 * len(cases), missed


def test_without_a_sound_server_the_mapping_has_failed_and_the_settings_say_why():
    environment = {"PULSE_SERVER": "unix:/nowhere/pulse", "PIPEWIRE_REMOTE": "nowhere"}
    with (
        running_conductor(CONFIG, with_page=True, environment=environment) as conductor,
        Page(conductor.address()) as page,
    ):
        page.call("virtual.play", do="press", control="pad1")
        failure = page.wait_news("failure", lambda _failure: True)
        page.call("virtual.play", do="release", control="pad1")
        assert (failure["scope"], failure["index"]) == ("mode:Default", 0)
        assert "start PulseAudio or PipeWire" in failure["reason"]
        recent = page.call("monitor.recent", limit=10)["failures"]
        assert [one["reason"] for one in recent] == [failure["reason"]]
        assert page.call("voice.status")["microphone_problem"] == failure["reason"]

"""Push-to-talk: what is heard becomes a message or, if the user allows it, an action; nothing listens unasked."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.support.simulate import config

from conductor.domain.page_events import VoiceTopic
from conductor.domain.spoken_names import SpokenName
from conductor.errors import NotAvailable
from conductor.voice.host import Recognition
from conductor.voice.push_to_talk import ActiveMode, VoiceController

MAPPING = {
    "description": "Mute microphone",
    "trigger": {"type": "Note", "note": 36},
    "action": {"type": "Keystroke", "keys": "m"},
}
WAIT_S = 30.0


class Stage:
    """A controller with a microphone, a transcription and a chat that the test controls."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings
        self.log: list[str] = []
        self.name: str | None = "Mute microphone"
        self.text = ""
        self.problem: str | None = None
        self.recognizer_problem: str | None = None
        self.is_open = False
        self.opens = asyncio.Event()
        self.opens.set()
        self.events: list[VoiceTopic] = []
        self.changed = asyncio.Event()
        self.names: list[str] = []
        self.is_strict = False
        self.controller = VoiceController(
            self.read_config,
            lambda: ActiveMode("Live", None),
            self.create_recorder,
            self,
            self.perform,
            self.send,
            self.publish,
            lambda reason: self.log.append(f"failed: {reason}"),
        )

    def read_config(self) -> Any:
        return config(modes={"Live": [MAPPING]}, settings={"voice": self.settings})

    def create_recorder(self, on_limit: Callable[[], None]) -> "Stage":
        self.on_limit = on_limit
        return self

    async def listen(self, microphone: str, max_s: float) -> None:
        await self.opens.wait()
        if self.problem is not None:
            raise NotAvailable(self.problem)
        self.is_open = True

    async def finish(self, names: list[str], *, wants_sound: bool, is_strict: bool) -> Recognition:
        self.is_open, self.names, self.is_strict = False, names, is_strict
        wav = b"sound" if wants_sound and self.name is None else b""
        return Recognition(self.name if names else None, wav, None)

    def cancel(self) -> None:
        self.is_open = False

    def find_recognizer_problem(self) -> str | None:
        return self.recognizer_problem

    async def list_microphones(self) -> list[str]:
        return ["Headset"]

    async def close(self) -> None:
        self.is_open = False

    @property
    def is_wanted(self) -> bool:
        return self.settings.get("transcription", "off") != "off"

    async def transcribe(self, wav: bytes) -> str:
        assert wav == b"sound"
        return self.text

    def perform(self, spoken: SpokenName) -> None:
        self.log.append(f"did {spoken.name}")

    async def send(self, message: str) -> str:
        self.log.append(f"sent {message}")
        return "talk-1"

    def publish(self, event: VoiceTopic) -> None:
        self.events.append(event)
        self.changed.set()

    async def wait_state(self, state: str) -> VoiceTopic:
        async with asyncio.timeout(WAIT_S):
            while not self.events or self.events[-1].state != state:
                self.changed.clear()
                await self.changed.wait()
        return self.events[-1]

    async def hold_button(self) -> None:
        """Hold the button of a page, and release it."""
        await self.controller.start(self)
        await self.controller.finish(self)

    async def hold_pad(self) -> VoiceTopic:
        """Press the pad, wait until it listens, release it, and return the last event."""
        self.controller.on_push_to_talk({"held": True, "by": "Talk"})
        await self.wait_state("listening")
        assert self.is_open
        self.controller.on_push_to_talk({"held": False, "by": ""})
        return await self.wait_state("idle")


def run(work: Callable[[Stage], Awaitable[None]], **settings: Any) -> None:
    async def with_stage() -> None:
        await work(Stage(**settings))

    asyncio.run(with_stage())


@pytest.mark.parametrize(
    ("settings", "name", "text", "log", "outcome"),
    [
        ({}, "Mute microphone", "", ["sent /do Mute microphone"], "sent"),
        ({}, "mode Live", "", ["sent /do mode Live"], "sent"),
        ({"act_at_once": True}, "Mute microphone", "", ["did Mute microphone"], "performed"),
        ({"send": False}, "Mute microphone", "", [], "waiting"),
        (
            {"transcription": "server"},
            None,
            "Map pad 1 to copy.",
            ["sent Map pad 1 to copy."],
            "sent",
        ),
        (
            {"transcription": "server"},
            None,
            "mute, microphone!",
            ["sent /do Mute microphone"],
            "sent",
        ),
        ({"transcription": "server"}, None, "/switch Live", ["sent switch Live"], "sent"),
        # Free speech never acts at once.
        (
            {"transcription": "server", "act_at_once": True},
            None,
            "Delete it",
            ["sent Delete it"],
            "sent",
        ),
    ],
)
def test_what_was_heard_goes_where_the_settings_say(
    settings: Any, name: str | None, text: str, log: list[str], outcome: str
):
    async def talk(stage: Stage) -> None:
        stage.name, stage.text = name, text
        event = await stage.hold_pad()
        assert (stage.log, event.outcome, event.by) == (log, outcome, "Talk")
        assert [one.state for one in stage.events] == [
            "opening",
            "listening",
            "recognizing",
            "idle",
        ]
        assert stage.names == ["Mute microphone", "mode Live"]
        # Strict where a wrong name would do harm, or where a transcription knows better.
        assert stage.is_strict == bool(settings.get("act_at_once") or settings.get("transcription"))

    run(talk, **settings)


@pytest.mark.parametrize(
    ("settings", "problem", "text", "reason"),
    [
        ({}, "No microphone was found: plug one in.", "", "No microphone was found"),
        ({}, None, "", "No name of a mapping or mode was heard"),
        ({"transcription": "server"}, None, " / ", "No words were heard"),
        ({"names": False}, None, "", "Speech is not recognised: switch on"),
    ],
)
def test_a_failure_is_told_and_does_nothing(
    settings: dict[str, Any], problem: str | None, text: str, reason: str
):
    async def talk(stage: Stage) -> None:
        stage.name, stage.problem, stage.text = None, problem, text
        stage.controller.on_push_to_talk({"held": True, "by": "Talk"})
        stage.controller.on_push_to_talk({"held": False, "by": ""})
        event = await stage.wait_state("idle")
        assert event.outcome == "failed"
        assert event.message.startswith(reason)
        is_opened = problem is None and settings.get("names", True)
        # a microphone that was opened is no failure of the mapping: nothing was understood
        assert stage.log == ([] if is_opened else [f"failed: {event.message}"])
        assert stage.controller.microphone_problem == problem
        stage.log.clear()
        assert not stage.is_open
        with pytest.raises(NotAvailable, match=reason):
            await stage.hold_button()
        stage.name, stage.problem = "Mute microphone", None
        stage.settings = {}
        assert (await stage.hold_pad()).outcome == "sent"  # the failure has left nothing behind
        assert stage.controller.microphone_problem is None

    run(talk, **settings)


def test_the_microphone_stays_closed_if_nothing_can_be_recognised():
    async def talk(stage: Stage) -> None:
        stage.recognizer_problem = "PocketSphinx is not installed."
        assert stage.controller.find_problem() == "PocketSphinx is not installed."
        with pytest.raises(NotAvailable, match="PocketSphinx is not installed"):
            await stage.controller.start(stage)
        assert [one.state for one in stage.events] == ["idle"]
        stage.settings = {"transcription": "server"}  # which can hear names, too
        assert stage.controller.find_problem() is None
        stage.settings = {"names": False}
        assert "switch on the recognition" in str(stage.controller.find_problem())

    run(talk)


def test_a_release_before_the_microphone_is_open_closes_it_at_once():
    async def talk(stage: Stage) -> None:
        stage.opens.clear()
        stage.controller.on_push_to_talk({"held": True, "by": "Talk"})
        await stage.wait_state("opening")
        stage.controller.on_push_to_talk({"held": False, "by": ""})
        stage.opens.set()
        await stage.wait_state("idle")
        assert not stage.is_open

    run(talk)


def test_without_a_held_control_nothing_is_opened_and_nothing_happens():
    async def talk(stage: Stage) -> None:
        stage.controller.on_push_to_talk({"held": False, "by": ""})
        with pytest.raises(NotAvailable, match="not listening"):
            await stage.controller.finish(stage)
        stage.controller.cancel(stage)
        stage.on_limit()
        await asyncio.sleep(0)
        assert (stage.log, stage.events, stage.is_open) == ([], [], False)

    run(talk, act_at_once=True)


def test_the_button_of_a_page_returns_the_message_and_sends_nothing():
    async def talk(stage: Stage) -> None:
        page, other = object(), object()
        await stage.controller.start(page)
        assert stage.is_open
        with pytest.raises(NotAvailable, match="already listening"):
            await stage.controller.start(other)
        with pytest.raises(NotAvailable, match="not listening"):
            await stage.controller.finish(other)
        stage.controller.cancel(other)
        stage.controller.on_push_to_talk(
            {"held": True, "by": "Talk"}
        )  # ignored: the button is held
        stage.controller.on_push_to_talk({"held": False, "by": ""})
        heard, event = await stage.controller.finish(page)
        assert (heard.message, event.outcome) == ("/do Mute microphone", "waiting")
        assert (stage.log, stage.is_open) == ([], False)

    run(talk)


def test_a_page_that_leaves_while_the_microphone_opens_waits_for_nothing():
    async def talk(stage: Stage) -> None:
        page = object()
        stage.opens.clear()
        starting = asyncio.ensure_future(stage.controller.start(page))
        await stage.wait_state("opening")
        stage.controller.cancel(page)
        with pytest.raises(NotAvailable, match="not listening"):
            await starting
        stage.opens.set()
        assert not stage.is_open

    run(talk)


def test_the_microphone_is_closed_when_the_page_leaves_and_when_the_time_is_up():
    async def talk(stage: Stage) -> None:
        page = object()
        await stage.controller.start(page)
        stage.controller.cancel(page)
        assert not stage.is_open
        assert stage.events[-1].state == "idle"
        stage.controller.on_push_to_talk({"held": True, "by": "Talk"})
        await stage.wait_state("listening")
        stage.on_limit()
        assert (await stage.wait_state("idle")).outcome == "sent"
        await stage.controller.start(page)
        await stage.controller.close()
        assert not stage.is_open

    run(talk)

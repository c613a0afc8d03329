"""The event bus, the notices and the connection to the engine, without a running engine."""

from pathlib import Path
from typing import Any

from conductor.config.parse import read
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.events import EventBus
from conductor.runtime.notices import Notices


def test_a_listener_that_fails_keeps_no_other_from_an_event():
    bus, received = EventBus(), list[tuple[str, dict[str, Any]]]()

    def closed_terminal(_topic: str, _payload: dict[str, Any]) -> None:
        raise BrokenPipeError

    bus.subscribe(closed_terminal)
    bus.subscribe(lambda topic, payload: received.append((topic, payload)))
    bus.publish("loaded", {"mode": "Default"})
    assert received == [("loaded", {"mode": "Default"})]


def test_a_notice_is_withdrawn_by_what_it_is_about():
    notices = Notices(lambda _topic, _payload: None)
    notices.show("the audit log cannot be written", key="audit")
    notices.show("a window crashed")
    notices.withdraw("audit")
    assert notices.texts == ["a window crashed"]


def test_a_momentary_mode_ends_with_the_engine_in_which_it_was_held(tmp_path: Path):
    events: list[tuple[str, dict[str, Any]]] = []
    engine = EngineConnection(
        tmp_path,
        tmp_path / "config.toml",
        lambda topic, payload: events.append((topic, payload)),
        lambda _text: None,
    )
    engine.load(read('[[modes]]\nname = "Default"\n[[modes]]\nname = "Shift"\n').config)
    engine.state.mode, engine.state.base_mode = "Shift", "Default"
    engine.publish_status()
    engine._on_death("the engine died")  # pyright: ignore[reportPrivateUsage]
    assert [payload["mode"] for _, payload in events] == ["Shift", "Default"]

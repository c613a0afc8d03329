"""The event bus, the notices and the connection to the engine, without a running engine."""

import threading
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from conductor.bridge.topics import TOPIC_MODELS
from conductor.config.parse import load_config_with_notes
from conductor.domain.engine_protocol import (
    ConfigLoaded,
    ConfigLoadFailed,
    ListeningStarted,
    ListeningStopped,
)
from conductor.domain.page_events import ConfigTopic
from conductor.domain.wire_rows import (
    ConnectedDevicesRow,
    EngineStateRow,
    FailureRow,
    ForegroundAppRow,
    NoticeRow,
    SkippedTracesRow,
)
from conductor.runtime import events
from conductor.runtime.engine_connection import EngineConnection
from conductor.runtime.events import (
    CONFIG_LOADED_TOPIC,
    CONFIG_TOPIC,
    PUSH_TO_TALK_TOPIC,
    TOOLS_TOPIC,
    EventBus,
    Topic,
)
from conductor.runtime.notices import Notices


def _ignore(_topic: object, _payload: object, /) -> None:
    return


def test_a_listener_that_fails_keeps_no_other_from_an_event():
    bus, received = EventBus(), list[tuple[str, dict[str, Any]]]()

    def closed_terminal(_topic: str, _payload: dict[str, Any]) -> None:
        raise BrokenPipeError

    bus.forward_all(closed_terminal)
    bus.forward_all(lambda topic, payload: received.append((topic, payload)))
    bus.publish(CONFIG_TOPIC, ConfigTopic(hash="sha256:0"))
    assert received == [("config", {"hash": "sha256:0"})]


def test_a_listener_gets_the_payloads_of_its_topic_only():
    bus, modes = EventBus(), list[str]()
    bus.subscribe(CONFIG_LOADED_TOPIC, lambda loaded: modes.append(loaded["mode"]))
    bus.publish(CONFIG_TOPIC, ConfigTopic(hash="sha256:0"))
    bus.publish(CONFIG_LOADED_TOPIC, {"token": 1, "mappings": 0, "mode": "Default"})
    assert modes == ["Default"]


def test_pages_know_every_topic_except_those_for_other_listeners():
    published = {topic for topic in vars(events).values() if isinstance(topic, Topic)}
    for_others = {CONFIG_LOADED_TOPIC, PUSH_TO_TALK_TOPIC, TOOLS_TOPIC}
    assert published - for_others == TOPIC_MODELS.keys() - {"hello"}


@pytest.mark.parametrize(
    ("row", "model"),
    [
        (EngineStateRow, "status"),
        (SkippedTracesRow, "skipped"),
        (FailureRow, "failure"),
        (ConnectedDevicesRow, "devices"),
        (ForegroundAppRow, "front"),
        (NoticeRow, "notice"),
    ],
)
def test_a_page_knows_every_field_of_what_the_engine_reports(row: Any, model: str):
    assert (
        row.__annotations__.keys()
        == TypeAdapter(TOPIC_MODELS[model]).json_schema()["properties"].keys()
    )


def test_a_notice_is_withdrawn_by_what_it_is_about():
    notices = Notices(_ignore)
    notices.show_warning("the audit log cannot be written", key="audit")
    notices.show_warning("a window crashed")
    notices.withdraw_notice("audit")
    assert notices.texts == ["a window crashed"]


def test_a_notice_replaces_an_earlier_one_about_the_same():
    notices = Notices(_ignore)
    notices.report_problem("recording", "the disk is full")
    notices.show_warning("a window crashed")
    notices.report_problem("recording", "the disk cannot be written")
    assert notices.texts == ["a window crashed", "the disk cannot be written"]
    notices.report_problem("recording", None)
    assert notices.texts == ["a window crashed"]


def test_a_problem_that_lasts_is_not_pushed_out_by_what_happened_and_equal_notices_are_one():
    notices = Notices(_ignore)
    notices.report_problem("audit", "the audit log cannot be written")
    for number in range(30):
        notices.show_warning(f"event {number}")
    notices.show_warning("event 29")
    assert notices.texts[0] == "the audit log cannot be written"
    assert notices.texts[-1] == "event 29"
    assert notices.texts.count("event 29") == 1
    assert len(notices.texts) == 20


def test_a_config_that_could_not_be_loaded_is_no_longer_reported_once_another_runs(tmp_path: Path):
    notices = Notices(_ignore)
    engine = EngineConnection(tmp_path, tmp_path / "config.toml", _ignore, notices)
    on_message = engine._on_message  # pyright: ignore[reportPrivateUsage]
    config = load_config_with_notes('[[modes]]\nname = "Default"\n').config
    engine.load_config(config)
    on_message(ConfigLoadFailed(1, "out of memory"))
    assert notices.texts == ["the engine could not load the config: out of memory"]
    engine.load_config(config)
    on_message(ConfigLoaded(1, 0, "Default"))  # an earlier config, which was replaced meanwhile
    assert len(notices.texts) == 1
    on_message(ConfigLoaded(2, 0, "Default"))
    assert notices.texts == []


def test_a_momentary_mode_ends_with_the_engine_in_which_it_was_held(tmp_path: Path):
    events: list[Any] = []
    engine = EngineConnection(
        tmp_path,
        tmp_path / "config.toml",
        lambda _topic, payload: events.append(payload),
        Notices(_ignore),
    )
    engine.load_config(
        load_config_with_notes('[[modes]]\nname = "Default"\n[[modes]]\nname = "Shift"\n').config
    )
    engine.state.mode, engine.state.base_mode = "Shift", "Default"
    engine.publish_status()
    engine._on_engine_death("the engine died")  # pyright: ignore[reportPrivateUsage]
    assert [status["mode"] for status in events] == ["Shift", "Default"]


def test_a_control_that_is_held_to_talk_is_released_with_the_engine(tmp_path: Path):
    events: list[Any] = []

    def publish(topic: object, payload: Any, /) -> None:
        if topic == PUSH_TO_TALK_TOPIC:
            events.append(payload["held"])

    engine = EngineConnection(tmp_path, tmp_path / "config.toml", publish, Notices(_ignore))
    on_message, die = engine._on_message, engine._on_engine_death  # pyright: ignore[reportPrivateUsage]
    on_message(ListeningStarted("Talk"))
    die("the engine died")
    die("the engine died again")  # nothing is held any more
    on_message(ListeningStarted("Talk"))
    on_message(ListeningStopped())
    assert events == [True, False, True, False]


def test_a_thread_that_publishes_slowly_cannot_publish_an_older_status_after_a_newer_one(
    tmp_path: Path,
):
    modes = list[str]()
    is_publishing, may_continue = threading.Event(), threading.Event()

    def publish(_topic: object, payload: Any, /) -> None:
        if payload["mode"] == "Default":
            is_publishing.set()
            may_continue.wait(5.0)
        modes.append(payload["mode"])

    engine = EngineConnection(tmp_path, tmp_path / "config.toml", publish, Notices(_ignore))
    engine.load_config(
        load_config_with_notes('[[modes]]\nname = "Default"\n[[modes]]\nname = "Shift"\n').config
    )
    engine.state.mode = "Default"
    slow = threading.Thread(target=engine.publish_status)
    slow.start()
    assert is_publishing.wait(5.0)
    engine.state.mode = "Shift"
    fast = threading.Thread(target=engine.publish_status)
    fast.start()
    fast.join(0.2)  # it has to wait for the slow one, which continues only after this
    may_continue.set()
    slow.join(5.0)
    fast.join(5.0)
    assert modes == ["Default", "Shift"]

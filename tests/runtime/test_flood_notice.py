"""Notices of dropped messages, and the addresses that the OSC input is told of."""

import socket
from typing import Any

from conductor.domain.config import Config
from conductor.runtime.flood_notice import FloodNotice
from conductor.runtime.osc_listener import OSC_FLOOD_NOTICE_TEMPLATE, OscListener


class Drops:
    def __init__(self) -> None:
        self.waiting = (0, "")

    def take(self) -> tuple[int, str]:
        taken, self.waiting = self.waiting, (0, "")
        return taken


def test_a_flood_is_told_at_once_and_then_once_a_minute():
    drops = Drops()
    notice = FloodNotice(drops.take, OSC_FLOOD_NOTICE_TEMPLATE)
    told: list[tuple[int, str]] = []
    for second in range(200):
        if second < 130:
            drops.waiting = (1_000, "/x")
        text = notice.build_due_text(float(second))
        if text is not None:
            told.append((second, text))
    assert [second for second, _ in told] == [0, 60, 120, 180]
    assert "dropped about 1,000 OSC messages in the last second" in told[0][1]
    assert "dropped about 60,000 OSC messages in the last minute" in told[1][1]
    assert "such as /x" in told[1][1]
    assert notice.build_due_text(1_000.0) is None


def test_the_osc_input_hears_what_any_mapping_has_and_drops_what_none_has():
    port = free_port()
    rows: list[dict[str, Any]] = [
        {
            "trigger": {"type": "OscMessage", "address": "/go"},
            "action": {"type": "Keystroke", "keys": ["a"]},
        },
    ]
    config = Config.model_validate(
        {"settings": {"engine": {"osc_port": port}}, "global_mappings": rows}
    )
    added: list[Any] = []
    listener = OscListener(added.append, added.remove, clock=lambda: 0.0)
    listener.apply_config(config)
    (source,) = added
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for address in [b"/no\0"] * 150 + [b"/go\0"]:
            sender.sendto(address + b",\0\0\0", ("127.0.0.1", port))
    heard = [event.number for _ in range(40) for event in source.read_events()]
    assert (heard.count("/go"), heard.count("/no")) == (1, 100)
    assert listener.collect_dropped_messages() == (50, "/no")
    listener.apply_config(Config())
    assert added == []
    assert listener.collect_dropped_messages() == (0, "")


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

"""OSC through a real UDP socket."""

import json
import random
import select
import socket
import struct
from collections.abc import Iterator

import pytest
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message_builder import OscMessageBuilder

from conductor.devices.osc import MAX_EVENTS_PER_READ, MAX_UNMAPPED_MESSAGES_PER_S, OscInput
from conductor.domain.events import InputEvent
from conductor.domain.ports import EventSource
from conductor.domain.wire_rows import event_to_plain
from conductor.errors import NotAvailable

TIMEOUT_S = 10.0


class Player:
    """A program that sends OSC to the input."""

    def __init__(self, osc: OscInput) -> None:
        self.osc = osc
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, datagram: bytes) -> None:
        self.socket.sendto(datagram, (self.osc.host, self.osc.port))

    def say(self, address: str, *args: object) -> None:
        self.send(message(address, *args).build().dgram)

    def heard(self) -> list[InputEvent]:
        """Send a final message, and return all events that arrived before it."""
        self.say("/last")
        events: list[InputEvent] = []
        while not (events and events[-1].number == "/last"):
            assert select.select([self.osc], [], [], TIMEOUT_S)[0], events
            events += self.osc.read_events()
        return events[:-1]


@pytest.fixture
def osc() -> Iterator[OscInput]:
    osc = OscInput(port=0, clock=lambda: 12.5)
    yield osc
    osc.close()


@pytest.fixture
def player(osc: OscInput) -> Iterator[Player]:
    player = Player(osc)
    yield player
    player.socket.close()


def message(address: str, *args: object) -> OscMessageBuilder:
    builder = OscMessageBuilder(address)
    for arg in args:
        builder.add_arg(arg)  # pyright: ignore[reportArgumentType]
    return builder


def test_a_message_becomes_an_event_with_its_first_number_and_all_arguments(
    osc: OscInput, player: Player
) -> None:
    player.say("/1/fader1", "left", 0.25, 7)
    (event,) = player.heard()
    assert event == InputEvent("osc", "osc", 0, "/1/fader1", 0.25, 12.5, ("left", 0.25, 7))


@pytest.mark.parametrize(
    ("args", "value"), [([], 1.0), ([True], 1.0), ([False], 0.0), (["on"], 1.0), ([3], 3.0)]
)
def test_switches_and_bare_messages_have_a_value(
    player: Player, args: list[bool | str | int], value: float
) -> None:
    player.say("/switch", *args)
    assert [event.value for event in player.heard()] == [value]


def test_nested_bundles_produce_their_messages_at_once_and_in_order(player: Player) -> None:
    inner, outer = OscBundleBuilder(IMMEDIATELY), OscBundleBuilder(1_900_000_000)
    inner.add_content(message("/b", 2).build())
    for content in (message("/a", 1).build(), inner.build(), message("/c", 3).build()):
        outer.add_content(content)
    player.send(outer.build().dgram)
    assert [event.number for event in player.heard()] == ["/a", "/b", "/c"]


def test_every_kind_of_argument_can_be_written_as_json(player: Player) -> None:
    builder = message("/all", 1, None, b"\x0a\xff", ["x", [2.5]], float("inf"))
    builder.add_arg((0, 0x90, 60, 100), builder.ARG_TYPE_MIDI)
    builder.add_arg(1_900_000_000.5, builder.ARG_TYPE_DOUBLE)
    player.send(builder.build().dgram)
    (event,) = player.heard()
    assert event.data[:5] == (1, None, "0A FF", ["x", [2.5]], "inf")
    assert len(json.loads(json.dumps(event_to_plain(event), allow_nan=False))["data"]) == 7


def test_a_burst_of_messages_is_not_lost(player: Player) -> None:
    for number in range(1_000):
        player.say("/n", number)
    assert [event.value for event in player.heard()] == list(range(1_000))


def bundle(*messages: bytes) -> bytes:
    elements = b"".join(struct.pack(">i", len(one)) + one for one in messages)
    return b"#bundle\0" + bytes(8) + elements


def unmapped(count: int) -> list[bytes]:
    return [b"/x\0\0,\0\0\0"] * count


def test_unmapped_addresses_become_events_at_a_limited_rate(player: Player) -> None:
    player.osc.set_mapped_addresses(["/go", "/last"])
    for datagram in (bundle(*unmapped(200)), *unmapped(200)):
        player.send(datagram)
    player.say("/go", 1)
    heard = [event.number for event in player.heard()]
    assert heard == ["/x"] * MAX_UNMAPPED_MESSAGES_PER_S + ["/go"]
    assert player.osc.collect_dropped_messages() == (400 - MAX_UNMAPPED_MESSAGES_PER_S, "/x")
    assert player.osc.collect_dropped_messages() == (0, "")


def test_the_limit_of_unmapped_addresses_refills_within_a_second() -> None:
    now = [10.0]
    osc = OscInput(port=0, clock=lambda: now[0])
    player = Player(osc)
    osc.set_mapped_addresses(["/last"])
    for datagram in unmapped(300):
        player.send(datagram)
    assert len(player.heard()) == MAX_UNMAPPED_MESSAGES_PER_S
    now[0] += 1.0
    player.say("/learn/me", 1)
    assert [event.number for event in player.heard()] == ["/learn/me"]
    player.socket.close()
    osc.close()


def test_the_rest_of_an_oversized_bundle_is_dropped_and_counted(
    player: Player,
) -> None:
    player.osc.set_mapped_addresses(["/go", "/last"])
    player.send(bundle(*[b"/go\0,\0\0\0"] * 3, *unmapped(5_000), b"/go\0,\0\0\0"))
    heard = [event.number for event in player.heard()]
    assert heard[:3] == ["/go"] * 3
    assert len(heard) == 3 + MAX_UNMAPPED_MESSAGES_PER_S
    assert player.osc.collect_dropped_messages()[0] == 5_004 - len(heard)


def test_a_press_in_its_own_bundle_arrives_during_a_flood(player: Player) -> None:
    player.osc.set_mapped_addresses(["/go", "/last"])
    for _ in range(20):
        player.send(bundle(*unmapped(5_000)))
        player.send(bundle(*unmapped(5), b"/go\0,\0\0\0"))
        assert "/go" in [event.number for event in player.heard()]


def test_one_read_of_a_flood_is_short_and_the_rest_stays(player: Player) -> None:
    player.osc.set_mapped_addresses(["/go"])
    for number in range(500):
        player.say("/go", number)
    assert select.select([player.osc], [], [], TIMEOUT_S)[0]
    reads: list[int] = []
    while arrived := player.osc.read_events():
        reads.append(len(arrived))
    assert sum(reads) == 500
    assert max(reads) <= MAX_EVENTS_PER_READ


def test_symbols_characters_and_bangs_are_understood(player: Player) -> None:
    player.send(b"/a\0\0,ScIf\0\0\0pad\0" + struct.pack(">if", ord("x"), 0.5))
    (event,) = player.heard()
    assert event.data == ("pad", ord("x"), None, 0.5)


def test_unknown_types_do_not_log_a_warning_each(
    osc: OscInput, player: Player, caplog: pytest.LogCaptureFixture
) -> None:
    player.send(b"/a\0\0,f\x1b?\0\0\0\0" + struct.pack(">f", 1.0))
    assert player.heard() == []
    assert osc.ignored == 1
    assert caplog.text == ""


@pytest.mark.parametrize(
    "datagram",
    [
        b"garbage",
        b"/no-end",
        b"#bundle\x00",
        b"#bundle\x00" + bytes(8) + struct.pack(">i", -4),
        b"#bundle\x00" + bytes(8) + struct.pack(">i", 0),
        b"#bundle\x00" + bytes(8) + struct.pack(">i", 99) + b"/a\x00\x00",
        (b"#bundle\x00" + bytes(8) + struct.pack(">i", 4_000)) * 200,
        b"/a\x00\x00," + b"[" * 4_000 + b"]" * 4_000 + b"\x00\x00\x00",
        message("/" + "x" * 256, 1).build().dgram,
        message("/nan", float("nan")).build().dgram,
        message("/inf", float("inf")).build().dgram,
    ],
    ids=lambda datagram: repr(datagram[:24]),
)
def test_an_unreadable_datagram_is_counted_and_ignored(
    osc: OscInput, player: Player, datagram: bytes
) -> None:
    player.send(datagram)
    assert player.heard() == []
    assert osc.ignored == 1


def test_two_thousand_random_and_mangled_datagrams_do_no_harm(
    osc: OscInput, player: Player
) -> None:
    dice = random.Random(7)
    whole = OscBundleBuilder(IMMEDIATELY)
    whole.add_content(message("/a/b", 1, 2.5, "text", b"blob", True, [1, [2.0]]).build())
    good = [whole.build().dgram, message("/x", 3, "y", b"\x01\x02").build().dgram]
    for number in range(2_000):
        if number % 2:
            datagram = dice.randbytes(dice.randrange(1, 200))
        else:
            mangled = bytearray(dice.choice(good))
            for _ in range(dice.randrange(1, 6)):
                mangled[dice.randrange(len(mangled))] = dice.randrange(256)
            datagram = bytes(mangled[: dice.randrange(4, len(mangled) + 1)])
        player.send(datagram)
        if number % 100 == 0:
            player.heard()
    player.heard()
    assert osc.ignored > 1_000
    player.say("/still", 1)
    assert [event.number for event in player.heard()] == ["/still"]


def test_an_occupied_port_is_reported_with_what_to_do() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        other.bind(("127.0.0.1", 0))
        port = other.getsockname()[1]
        with pytest.raises(NotAvailable, match=rf"port {port}.*osc_port"):
            OscInput(port=port)


def test_an_unknown_host_is_reported_by_name() -> None:
    with pytest.raises(NotAvailable, match=r"192\.0\.2\.1"):
        OscInput("192.0.2.1", 0)


def test_the_engine_can_wait_on_the_socket_and_notices_its_closing(osc: OscInput) -> None:
    source: EventSource = osc
    assert source.read_events() == []
    osc.close()
    with pytest.raises(EOFError):
        source.read_events()


def test_the_device_list_shows_the_address(osc: OscInput) -> None:
    (status,) = osc.status()
    assert (status.device_id, status.kind) == ("osc", "osc")
    assert status.port_name == f"OSC 127.0.0.1:{osc.port}"

"""The decoder returns the right events for valid bytes and nothing for invalid ones."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductor.devices.midi import messages
from conductor.devices.midi.messages import MAX_SYSEX_BYTES, MidiDecoder
from conductor.domain.events import InputEvent
from conductor.errors import ActionFailed


def fed(*messages: str) -> list[tuple[object, ...]]:
    decoder = MidiDecoder("pads")
    events = [event for m in messages for event in decoder.decode_bytes(bytes.fromhex(m), 1.5)]
    assert all(event.device == "pads" and event.time == 1.5 for event in events)
    return [(e.kind, e.channel, e.number, e.value) for e in events]


@pytest.mark.parametrize(
    ("message", "event"),
    [
        ("90 24 64", ("note_on", 1, 36, 100)),
        ("9f 24 64", ("note_on", 16, 36, 100)),
        ("80 24 40", ("note_off", 1, 36, 64)),
        ("90 24 00", ("note_off", 1, 36, 0)),
        ("b2 07 7f", ("cc", 3, 7, 127)),
        ("a0 24 10", ("poly_pressure", 1, 36, 16)),
        ("d0 55", ("channel_pressure", 1, 0, 85)),
        ("c3 05", ("program_change", 4, 5, 5)),
        ("e0 00 40", ("pitch_bend", 1, 0, 8192)),
        ("e0 7f 7f", ("pitch_bend", 1, 0, 16383)),
        ("f8", ("clock", 0, 0, 0xF8)),
        ("fa", ("transport", 0, 0, 0xFA)),
    ],
)
def test_each_message_becomes_its_event(message: str, event: tuple[object, ...]):
    assert fed(message) == [event]


def test_running_status_repeats_the_last_status():
    assert fed("90 24 64", "26 50", "24 00") == [
        ("note_on", 1, 36, 100),
        ("note_on", 1, 38, 80),
        ("note_off", 1, 36, 0),
    ]


def test_a_message_split_in_two_is_joined():
    assert fed("90 24", "64") == [("note_on", 1, 36, 100)]


def test_several_messages_in_one_piece_all_count():
    assert fed("90 24 64 b0 07 01 c0 02") == [
        ("note_on", 1, 36, 100),
        ("cc", 1, 7, 1),
        ("program_change", 1, 2, 2),
    ]


def test_sysex_arrives_whole_from_f0_to_f7():
    [event] = MidiDecoder("pads").decode_bytes(bytes.fromhex("f0 7e 01 02 f7"), 0)
    assert event == InputEvent("sysex", "pads", 0, 0, 5, 0, bytes.fromhex("f0 7e 01 02 f7"))


def test_a_split_sysex_is_joined_around_real_time_bytes():
    decoder = MidiDecoder("pads")
    pieces = ["f0 7e", "01 f8 02", "03 04 05", "f7"]
    events = [event for piece in pieces for event in decoder.decode_bytes(bytes.fromhex(piece), 0)]
    assert [event.kind for event in events] == ["clock", "sysex"]
    assert events[1].data == bytes.fromhex("f0 7e 01 02 03 04 05 f7")


def test_a_status_byte_abandons_an_unfinished_sysex():
    assert fed("f0 7e 01", "90 24 64", "f7") == [("note_on", 1, 36, 100)]


def test_an_endless_sysex_is_dropped_and_the_next_message_is_decoded():
    decoder = MidiDecoder("pads")
    for _ in range(MAX_SYSEX_BYTES // 1000 + 2):
        assert decoder.decode_bytes(b"\x01" * 1000, 0) == []
    decoder.decode_bytes(b"\xf0", 0)
    for _ in range(MAX_SYSEX_BYTES // 1000 + 2):
        assert decoder.decode_bytes(b"\x01" * 1000, 0) == []
    assert decoder.decode_bytes(b"\xf7", 0) == []
    assert [event.kind for event in decoder.decode_bytes(b"\x90\x24\x64", 0)] == ["note_on"]


@pytest.mark.parametrize(
    "junk", ["", "24", "24 64 01", "f4", "f7", "f1 10", "f2 10 20", "fe", "ff"]
)
def test_invalid_bytes_produce_no_events(junk: str):
    assert fed(junk) == []


def test_data_after_a_system_message_is_not_taken_for_running_status():
    assert fed("90 24 64", "f3 05", "24 64") == [("note_on", 1, 36, 100)]


def test_an_nrpn_gives_its_value_beside_the_plain_control_changes():
    assert fed("b0 63 01", "b0 62 02", "b0 06 03", "b0 26 04") == [
        ("cc", 1, 99, 1),
        ("cc", 1, 98, 2),
        ("cc", 1, 6, 3),
        ("nrpn", 1, 130, 384),
        ("cc", 1, 38, 4),
        ("nrpn", 1, 130, 388),
    ]


def parameter_changes(*messages: str) -> list[tuple[object, ...]]:
    return [event for event in fed(*messages) if event[0] in ("nrpn", "rpn")]


def test_increment_and_decrement_step_the_chosen_parameter():
    choose = ("b0 65 00", "b0 64 01")
    assert parameter_changes(*choose, "b0 06 01", "b0 60 00", *choose, "b0 60 00", "b0 61 00") == [
        ("rpn", 1, 1, 128),
        ("rpn", 1, 1, 129),
        ("rpn", 1, 1, 130),
        ("rpn", 1, 1, 129),
    ]


def test_the_null_parameter_ends_data_entry():
    chosen = ("b0 65 00", "b0 64 01", "b0 06 01")
    assert parameter_changes(*chosen, "b0 65 7f", "b0 64 7f", "b0 06 05") == [("rpn", 1, 1, 128)]


def test_each_channel_selects_its_own_parameter():
    assert parameter_changes("b0 63 00", "b0 62 05", "b1 06 09", "b0 06 01") == [
        ("nrpn", 1, 5, 128)
    ]


def test_data_entry_without_a_whole_parameter_number_is_only_a_control_change():
    assert parameter_changes("b0 63 00", "b0 06 01", "b0 64 00", "b0 06 01") == []


def test_ten_thousand_random_strings_never_raise_and_never_fill_memory():
    decoder, rng = MidiDecoder("pads"), random.Random(1)
    for _ in range(10_000):
        for event in decoder.decode_bytes(rng.randbytes(rng.randrange(0, 200)), 0):
            assert 0 <= event.channel <= 16
            assert 0 <= event.value <= max(16_383, MAX_SYSEX_BYTES)
    kept = len(decoder._pending) + len(decoder._sysex or b"")  # pyright: ignore[reportPrivateUsage]
    assert kept <= MAX_SYSEX_BYTES


@given(st.lists(st.binary(max_size=12), max_size=20))
@settings(max_examples=300, deadline=None)
def test_the_result_does_not_depend_on_how_bytes_are_split(pieces: list[bytes]):
    in_pieces, at_once = MidiDecoder("pads"), MidiDecoder("pads")
    events = [event for piece in pieces for event in in_pieces.decode_bytes(piece, 0)]
    assert events == at_once.decode_bytes(b"".join(pieces), 0)


def test_encoded_messages_decode_to_the_original():
    encoded = [
        messages.encode_note_on(10, 36, 100),
        messages.encode_note_off(10, 36),
        messages.encode_cc(1, 7, 127),
        messages.encode_program_change(2, 5),
        messages.encode_pitch_bend(3, -8192),
        messages.encode_channel_pressure(4, 64),
        messages.encode_poly_pressure(16, 1, 2),
    ]
    assert fed(*(message.hex() for message in encoded)) == [
        ("note_on", 10, 36, 100),
        ("note_off", 10, 36, 0),
        ("cc", 1, 7, 127),
        ("program_change", 2, 5, 5),
        ("pitch_bend", 3, 0, 0),
        ("channel_pressure", 4, 0, 64),
        ("poly_pressure", 16, 1, 2),
    ]


@pytest.mark.parametrize("arguments", [(0, 1, 1), (17, 1, 1), (1, 128, 1), (1, 1, -1)])
def test_values_outside_midi_are_refused(arguments: tuple[int, int, int]):
    with pytest.raises(ActionFailed, match="go from"):
        messages.encode_note_on(*arguments)
    with pytest.raises(ActionFailed, match="-8192 to 8191"):
        messages.encode_pitch_bend(1, 8192)

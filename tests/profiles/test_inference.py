"""A profile from a minute of playing says what was played: numbers, channels, rows, codings, releases, banks."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.playing import SWEEP, Hands, in_order, once

from conductor.devices.midi.messages import MidiDecoder
from conductor.domain.device_profile import (
    DeviceProfile,
    Group,
    ReleaseMessage,
    ValueEncoding,
    Variant,
)
from conductor.domain.events import InputEvent
from conductor.errors import InvalidParams
from conductor.profiles.control_groups import LearnStep
from conductor.profiles.device_text import sort_numbers_in_device_order
from conductor.profiles.files import parse_profile, read_profile_folder
from conductor.profiles.inference import DeviceDetails, infer_profile, list_uncertain_turns
from conductor.profiles.toml_text import render_profile_toml

FOLDER = Path(__file__).parents[2] / "knowledge" / "devices"
PROFILES = read_profile_folder(FOLDER).profiles
PLAYABLE = [profile for profile in PROFILES if list(once(profile.variants[0]))]
ABOUT = DeviceDetails("Acme Grid 16", "2026-11-21", ("Acme Grid 16 MIDI 1",))


def groups(events: list[InputEvent], *steps: LearnStep) -> tuple[Group, ...]:
    return infer_profile(events, ABOUT, steps).variants[0].groups


def sent(group: Group) -> list[tuple[str, int, int | str]]:
    """Return message, channel and number of each control in the order in which the device counts."""
    places = dict(zip(group.numbers, group.channels or [group.channel or 0] * 256, strict=False))
    channels = group.channels or [places[number] for number in sort_numbers_in_device_order(group)]
    return [
        (group.message, channel or 0, number)
        for channel, number in zip(channels, sort_numbers_in_device_order(group), strict=True)
    ]


@pytest.mark.parametrize("profile", PLAYABLE, ids=lambda profile: profile.id)
def test_playing_a_known_device_gives_its_groups_again(profile: DeviceProfile) -> None:
    hands = Hands()
    known = list(once(profile.variants[0]))
    for group in known:
        hands.group(group)
    found = {tuple(sent(group)): group for group in groups(hands.events)}
    expected = [tuple((group.message, *one) for one in in_order(group)) for group in known]
    assert sorted(map(str, found)) == sorted(map(str, expected))
    for group, key in zip(known, expected, strict=True):
        turns = group.role in ("knob", "encoder", "fader", "strip", "jog")
        if group.encoding:  # which way is clockwise cannot be told from values alone
            assert found[key].encoding == group.encoding.removesuffix("_reversed")
        if group.release and len(group.numbers) > 2:
            assert found[key].release == group.release
        assert turns or found[key].encoding is None


def test_nearly_every_profile_was_played() -> None:
    assert len(PLAYABLE) >= len(PROFILES) - 2


def test_every_fact_is_measured_here_and_graded_as_one_source() -> None:
    hands = Hands()
    hands.group(PROFILES[0].variants[0].groups[0])
    profile = infer_profile(hands.events, ABOUT)
    assert [source.kind for source in profile.sources] == ["measured"]
    assert {group.grade for group in profile.variants[0].groups} == {"one_source"}
    assert [matcher.to_plain() for matcher in profile.matchers] == [
        {"type": "ExactName", "pattern": "Acme Grid 16 MIDI 1"}
    ]
    assert (profile.id, profile.maker, profile.model) == ("acme-grid-16", "Acme", "Grid 16")


def test_a_profile_is_written_and_read_again_as_it_was() -> None:
    hands = Hands()
    for profile in PROFILES:
        assert parse_profile(render_profile_toml(profile)) == profile
    for group in once(next(one for one in PROFILES if one.id == "akai-mpd218").variants[0]):
        hands.group(group)
    made = infer_profile(hands.events, ABOUT)
    assert parse_profile(render_profile_toml(made)) == made


def test_pads_in_banks_are_one_block_drawn_once() -> None:
    hands = Hands()
    for group in once(next(one for one in PROFILES if one.id == "akai-mpd218").variants[0]):
        hands.group(group)
    found = groups(hands.events)
    assert [group.bank for group in found] == ["Bank A", "Bank B", "Bank C"] * 2
    assert [group.place is not None for group in found] == [True, False, False] * 2
    pads = found[0]
    assert (pads.columns, pads.rows_from_bottom) == (4, True)
    assert sort_numbers_in_device_order(pads)[0] == pads.numbers[12]
    assert pads.numbers[:4] == (48, 49, 50, 51)


def test_what_was_asked_for_decides_where_playing_alone_cannot() -> None:
    hands = Hands()
    steps = [LearnStep(hands.time, "fader")]
    for number in range(8):
        hands.turn("cc", 1, 16 + number, SWEEP)
    hands.rest(0.1)
    steps.append(LearnStep(hands.time, "knob"))
    for number in range(8):
        hands.turn("cc", 1, 24 + number, SWEEP)
    steps.append(LearnStep(hands.time, "fader", bank=2))
    for number in range(8):
        hands.turn("cc", 1, 48 + number, SWEEP)
    found = [(one.role, one.numbers[0], one.bank) for one in groups(hands.events, *steps)]
    assert found == [("fader", 16, "Bank A"), ("knob", 24, "Bank A"), ("fader", 48, "Bank B")]


def test_pressure_after_a_note_is_no_control() -> None:
    hands = Hands()
    for note in (36, 37, 38, 39):
        hands.say("note_on", 10, note, 60 + note)
        hands.rest(0.01)
        hands.say("channel_pressure", 10, 0, 50)
        hands.say("poly_pressure", 10, note, 50)
        hands.rest(0.1)
        hands.say("note_off", 10, note, 0)
        hands.rest(0.3)
    (pads,) = groups(hands.events)
    assert (pads.message, pads.numbers, pads.role) == ("note", (36, 37, 38, 39), "pad")


def test_the_bytes_of_a_release_show_its_style() -> None:
    for on_wire, release in (
        (b"\x80\x24\x00", "note_off"),
        (b"\x80\x24\x40", "note_off_64"),
        (b"\x90\x24\x00", "note_on_0"),
    ):
        decoder = MidiDecoder("raw:Acme")
        events = [*decoder.decode_bytes(b"\x90\x24\x50", 1.0), *decoder.decode_bytes(on_wire, 1.1)]
        assert groups(events)[0].release == release


def test_the_parts_of_an_nrpn_are_no_controls() -> None:
    decoder = MidiDecoder("raw:Acme")
    events: list[InputEvent] = []
    for at in range(20):
        for controller, value in ((99, 1), (98, 5), (6, at * 6), (38, 0)):
            events += decoder.decode_bytes(bytes((0xB0, controller, value)), 1 + at / 50)
    (knob,) = groups(events)
    assert (knob.message, knob.numbers, knob.encoding) == ("nrpn", (133,), "absolute")


def test_an_endless_knob_turned_one_way_only_is_not_claimed_to_be_known() -> None:
    hands = Hands()
    hands.turn("cc", 1, 20, [1] * 12)
    (knob,) = groups(hands.events)
    assert (knob.role, knob.encoding) == ("encoder", None)


def test_a_chord_is_no_toggle() -> None:
    hands = Hands()
    for note in (60, 64, 67):
        hands.say("note_on", 1, note, 90)
        hands.rest(0.02)
    hands.rest(1.0)
    for note in (60, 64, 67):
        hands.say("note_off", 1, note, 0)
    assert groups(hands.events)[0].release == "note_off"


def test_a_hesitation_does_not_cut_a_grid_in_two() -> None:
    hands = Hands()
    for at in range(16):
        if at == 7:
            hands.rest(5)
        hands.note(10, 36 + at, 40 + at, None)
    assert [len(group.numbers) for group in groups(hands.events)] == [16]


def test_a_fader_of_14_bits_is_one_control() -> None:
    hands = Hands()
    for number in (1, 2):
        for value in SWEEP:
            hands.say("cc", 1, number, value)
            hands.rest(0.001)
            hands.say("cc", 1, number + 32, value * 37 % 128)
            hands.rest(0.02)
        hands.rest(0.4)
    (fader,) = groups(hands.events, LearnStep(hands.events[0].time - 1, "fader"))
    assert (fader.role, fader.numbers, fader.encoding) == ("fader", (1, 2), "absolute")
    assert fader.note == "14 bits, with the fine part on the CC that is 32 higher."


def test_knobs_whose_numbers_differ_by_32_are_two_knobs() -> None:
    hands = Hands()
    for number in (1, 33):
        hands.turn("cc", 1, number, SWEEP)
    assert [group.numbers for group in groups(hands.events)] == [(1, 33)]
    both = Hands()
    for at, value in enumerate(SWEEP * 2):
        both.say("cc", 1, 1, value)
        both.rest(0.03)
        if at % 3:
            both.say("cc", 1, 33, 127 - value)
        both.rest(0.03)
    assert sum(len(group.numbers) for group in groups(both.events)) == 2


@pytest.mark.parametrize(
    ("right", "left", "asked", "encoding"),
    [
        (65, 1, 65, "sign_magnitude_reversed"),
        (1, 65, 1, "sign_magnitude"),
        (1, 127, 1, "twos_complement"),
    ],
)
def test_a_turn_to_the_right_tells_which_way_an_encoder_counts(
    right: int, left: int, asked: int, encoding: ValueEncoding
) -> None:
    hands = Hands()
    for number in (20, 21):
        hands.turn("cc", 1, number, [right] * 6 + [left] * 6)
    before = infer_profile(hands.events, ABOUT)
    is_asked = [group.name for group in list_uncertain_turns(before)]
    assert is_asked == ([] if encoding == "twos_complement" else ["Encoder {n}"])
    step = LearnStep(hands.time, turn_right=True)
    hands.turn("cc", 1, 20, [asked] * 3)
    (group,) = groups(hands.events, LearnStep(0.0, "knob"), step)
    assert (group.numbers, group.encoding) == ((20, 21), encoding)


def test_an_encoder_turned_one_way_is_asked_about() -> None:
    hands = Hands()
    hands.turn("cc", 1, 20, [65] * 6)
    assert list_uncertain_turns(infer_profile(hands.events, ABOUT))
    step = LearnStep(hands.time, turn_right=True)
    hands.turn("cc", 1, 20, [1] * 6)
    (group,) = groups(hands.events, LearnStep(0.0, "knob"), step)
    assert group.encoding == "sign_magnitude"


@pytest.mark.parametrize("stray", range(2, 8))
@pytest.mark.parametrize("after", range(2))
def test_a_pad_touched_by_accident_keeps_its_place(stray: int, after: int) -> None:
    hands = Hands()
    for at in range(8):
        hands.note(10, 36 + at, 50 + at, None)
        if at == after:
            hands.note(10, 36 + stray, 20, None)
            hands.rest(5)
    (pads,) = groups(hands.events)
    assert sort_numbers_in_device_order(pads) == tuple(range(36, 44))


def test_a_knob_brushed_while_pads_are_played_belongs_to_the_knobs() -> None:
    hands = Hands()
    steps = [LearnStep(hands.time, "pad")]
    for at in range(8):
        hands.note(10, 36 + at, 50 + at, None)
        if at == 3:
            hands.turn("cc", 1, 23, [60, 61])
    hands.rest()
    steps.append(LearnStep(hands.time - 0.1, "knob"))
    for number in range(20, 28):
        hands.turn("cc", 1, number, SWEEP)
    found = [(one.role, one.numbers) for one in groups(hands.events, *steps)]
    assert found == [("pad", (40, 41, 42, 43, 36, 37, 38, 39)), ("knob", tuple(range(20, 28)))]


def test_controls_played_again_in_the_next_bank_stay_in_the_first() -> None:
    hands = Hands()
    steps = [LearnStep(hands.time, "knob")]
    for number in range(20, 24):
        hands.turn("cc", 1, number, SWEEP[:8])
    steps.append(LearnStep(hands.time - 0.1, None, 2))
    for number in range(20, 24):
        hands.turn("cc", 1, number, SWEEP)
    assert [(one.numbers, one.bank) for one in groups(hands.events, *steps)] == [
        ((20, 21, 22, 23), None)
    ]


def test_columns_may_be_told() -> None:
    hands = Hands()
    for at in range(16):
        hands.note(10, 36 + at, 40 + at, None)
    profile = infer_profile(hands.events, ABOUT, group_columns={"pad": 8})
    assert profile.variants[0].groups[0].columns == 8
    assert profile.variants[0].groups[0].numbers[:2] == (44, 45)


def test_nothing_played_says_what_to_do() -> None:
    with pytest.raises(InvalidParams, match="press a pad"):
        infer_profile([], ABOUT)


numbers = st.lists(st.integers(0, 119), min_size=3, max_size=24, unique=True)
ENCODINGS: list[ValueEncoding] = ["absolute", "twos_complement", "offset_64", "sign_magnitude"]
RELEASES: list[ReleaseMessage] = ["note_off", "note_off_64", "note_on_0", "toggle"]


@given(numbers, st.integers(1, 16), st.sampled_from(RELEASES))
def test_any_pads_are_found_in_the_order_in_which_they_were_played(
    notes: list[int], channel: int, release: ReleaseMessage
) -> None:
    pads = _group(
        role="pad",
        message="note",
        numbers=notes,
        channel=channel,
        release=release,
        columns=len(notes),
    )
    hands = Hands()
    hands.group(pads)
    (found,) = groups(hands.events)
    assert sort_numbers_in_device_order(found) == tuple(notes)
    assert (found.channel, found.release) == (channel, release)
    assert len(found.numbers) % found.columns == 0


@given(
    numbers,
    st.integers(1, 16),
    st.sampled_from(ENCODINGS),
    st.lists(st.integers(1, 3), min_size=8, max_size=30),
    st.lists(st.integers(1, 3), min_size=8, max_size=30),
)
def test_any_knobs_turned_both_ways_reveal_their_coding(
    controllers: list[int], channel: int, encoding: ValueEncoding, forth: list[int], back: list[int]
) -> None:
    hands = Hands()
    for controller in controllers:
        hands.turn("cc", channel, controller, _written(encoding, forth, back))
    (found,) = groups(hands.events)
    assert found.numbers == tuple(controllers)
    assert found.encoding == encoding
    assert found.role == ("knob" if encoding == "absolute" else "encoder")


@given(st.lists(st.tuples(st.integers(0, 15), st.binary(min_size=1, max_size=3)), max_size=60))
def test_whatever_is_sent_a_profile_comes_of_it_or_a_word_why_not(
    messages: list[tuple[int, bytes]],
) -> None:
    decoder = MidiDecoder("raw:Acme")
    events = [
        one for at, (_, data) in enumerate(messages) for one in decoder.decode_bytes(data, at / 7)
    ]
    try:
        profile = infer_profile(events, ABOUT)
    except InvalidParams:
        return
    assert parse_profile(render_profile_toml(profile)) == profile


def _group(**fields: object) -> Group:
    plain = {"id": "x", "name": "X {n}", "grade": "one_source", "sources": ["a"], **fields}
    return Variant.model_validate({"id": "v", "name": "v", "when": "v", "groups": [plain]}).groups[
        0
    ]


def _written(encoding: ValueEncoding, forth: list[int], back: list[int]) -> list[int]:
    if encoding == "absolute":
        values = [40]
        for step in forth:
            values.append(min(127, values[-1] + step))
        for step in back:
            values.append(max(0, values[-1] - step))
        return values
    zero = {"twos_complement": 128, "offset_64": 64, "sign_magnitude": 64}[encoding]
    if encoding == "offset_64":
        return [zero + step for step in forth] + [zero - step for step in back]
    if encoding == "twos_complement":
        return forth + [zero - step for step in back]
    return forth + [zero + step for step in back]

"""Controllers without a profile: recognised by name, and answered without the numbers of another device."""

import tomllib
from pathlib import Path

import pytest
from tests.knowledge.conftest import ROOT

from conductor.base.resource_paths import KnowledgePaths, find_knowledge_paths
from conductor.domain.settings import KnowledgeSettings
from conductor.knowledge.device_chunks import read_device_profiles
from conductor.knowledge.library import KnowledgeBase
from conductor.knowledge.unknown_models import (
    UnknownModelFinder,
    normalise_model_name,
    read_known_models,
)

SHIPS = find_knowledge_paths(Path("/nowhere"))
MODELS = read_known_models(ROOT / "knowledge" / "models.toml")
KNOWN = read_device_profiles([ROOT / "knowledge" / "devices"]).list_device_names()
_TAKEN = {normalise_model_name(name) for names in KNOWN.values() for name in names}
UNKNOWN = [title for title in MODELS if normalise_model_name(title) not in _TAKEN]
HUNDRED = UNKNOWN[:: len(UNKNOWN) // 100][:100]
ASKED = (
    "which CC does the first knob of my {} send?",
    "{} pad notes and colours",
    "How do I light a button on the {}",
    "what are the numbers of the faders on a {}?",
)
QUESTIONS = [
    path
    for path in sorted((ROOT / "tests" / "knowledge").glob("*/*.toml"))
    if not path.stem.startswith("models-")
]


@pytest.fixture(scope="module")
def models() -> UnknownModelFinder:
    return UnknownModelFinder(MODELS, KNOWN)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """The index that ships."""
    home = tmp_path_factory.mktemp("home")
    where = KnowledgePaths(SHIPS.sources, SHIPS.guide, SHIPS.index, home / "knowledge")
    return KnowledgeBase(home, paths=where)


def test_the_list_has_several_hundred_models_without_a_profile():
    assert len(UNKNOWN) > 500
    assert len(HUNDRED) == 100


@pytest.mark.parametrize("at", range(100))
def test_a_model_without_a_profile_gets_one_answer_and_no_numbers(library: KnowledgeBase, at: int):
    title = HUNDRED[at]
    query = ASKED[at % len(ASKED)].format(title)
    for found in (library.retrieve_for_message(query).found, library.search_chunks(query)):
        assert len(found) == 1
        assert found[0].chunk.device is None
        assert found[0].chunk.section_path == (title, "No profile yet")
        assert "conductor learn --profile" in found[0].chunk.content
    assert library.get_chunk(library.search_chunks(query)[0].chunk.id).source == "device/no-profile"


@pytest.mark.parametrize(
    "sentence",
    [
        "if I push 1 pad, play a note on channel 3",
        "push 3 buttons at once to mute",
        "send cc 74 when I push 3 keys",
    ],
)
def test_a_sentence_with_a_word_that_is_also_a_model_names_no_model(
    models: UnknownModelFinder, sentence: str
):
    assert models.find_unknown_model(sentence) is None


@pytest.mark.parametrize("device", sorted(KNOWN))
def test_a_device_with_a_profile_is_not_unknown(models: UnknownModelFinder, device: str):
    for name in KNOWN[device]:
        assert models.find_unknown_model(f"which notes do the pads of my {name} send") is None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("beatstep pro encoders", "Arturia BeatStep Pro"),
        ("BeatStep encoders", None),
        ("my lpd8 mkII", None),
        ("my LPD8 MK3", "lpd8 mk3"),
        ("launchpad mini mk3 lights", None),
        ("MPK mini mk 5 pads", "mpk mini mk 5"),
        ("ddj800 jog wheel", "Pioneer DDJ-800"),
        ("DDJ 800 jog wheel", "Pioneer DDJ-800"),
        ("Launch Control XL MK3 knobs", None),
        ("Launch Control MK3 knobs", "Novation Launch Control 3"),
        ("m-audio oxygen 49 mkv faders", None),
        ("Oxygen 88 faders", "M-Audio Oxygen 88"),
        ("launch control xl knobs", None),
        ("x-touch mini leds", None),
        ("Behringer X-Touch leds", None),
        ("Behringer CMD DC-1 leds", "Behringer CMD DC-1"),
        ("CC 121", None),
        ("8x8 grid 64 pads", None),
        ("program change 12 on a pc 12", None),
        ("which notes do the pads of a Launchkey 49 MK2 send", None),
        ("my Launchkey 49 faders", "Novation Launchkey 49"),
        ("Launchpad S Mark 4 colours", "launchpad s mk4"),
        ("APC mini XL grid notes", "apc mini xl"),
        ("my LPD8 2 pads stay dark", None),
        ("Push 3 encoders: which CC numbers?", "Ableton Push 3"),
        ("minilab 4 pads notes", "minilab 4"),
        ("minilab 3 pads notes", None),
    ],
)
def test_of_names_that_overlap_the_longer_counts(
    models: UnknownModelFinder, text: str, title: str | None
):
    found = models.find_unknown_model(text)
    assert (found.title if found else None) == title


@pytest.mark.parametrize("path", QUESTIONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_question_of_the_sets_is_mistaken_for_an_unknown_model(
    models: UnknownModelFinder, path: Path
):
    rows = tomllib.loads(path.read_text(encoding="utf-8"))
    texts = [
        row["text"]
        for rows_of_kind in rows.values()
        for row in rows_of_kind
        if row.get("kind") != "unknown_model"
    ]
    assert rows
    assert [text for text in texts if models.find_unknown_model(text) is not None] == []


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("which CC do the sliders of a Samson Zephyr 25 send", "Samson Zephyr 25"),
        ("Nektar Foo88 pad notes?", "Nektar Foo88"),
        ("nektar foo88 transporttasten", "Nektar foo88"),
        ("Gemini GMX crossfader", "Gemini GMX"),
        ("Ableton Live faders, which CC?", None),
        ("Millenium MD-77 Pads, welche Noten?", "Millenium MD-77"),
        ("Any1 know which notes my pads send?", None),
        ("what does my Yamaha keyboard send every 300 ms", None),
        ("how is the checksum of a Roland DT1 computed?", None),
        ("Behringer X32 fader address, which one?", None),
        ("thanks, the Samson Zephyr is fun", None),
    ],
)
def test_a_name_after_a_maker_is_a_model_unless_a_text_has_both(
    library: KnowledgeBase, text: str, title: str | None
):
    found = library.get_index().find_unknown_model(text)
    assert (found.title if found else None) == title


@pytest.mark.parametrize(
    "text",
    [
        "pad notes of the QX99 by nobody",
        "which CC do the faders of the Zorblax have",
        "what do the knobs of an old Samson send",
    ],
)
def test_a_product_that_no_text_mentions_gets_no_numbers_of_a_device(
    library: KnowledgeBase, text: str
):
    assert not [each for each in library.retrieve_for_message(text).found if each.chunk.device]


@pytest.mark.parametrize(
    "text",
    [
        "which note does pad 5 send? I want it to start Kdenlive",
        "which note does pad 5 send to Reaktor?",
        "which note does pad 5 of my old Samson send?",
    ],
)
def test_an_unknown_name_hides_no_text_of_a_connected_device(tmp_path: Path, text: str):
    where = KnowledgePaths(SHIPS.sources, SHIPS.guide, SHIPS.index, tmp_path / "knowledge")
    library = KnowledgeBase(tmp_path, connected_ports=lambda: ["MPK mini 3"], paths=where)
    devices = {each.chunk.device for each in library.retrieve_for_message(text).found}
    assert "akai-mpk-mini-mk3" in devices


@pytest.mark.parametrize(
    ("port", "device"), [("LPD8", "akai-lpd8"), ("nanoKONTROL2", "korg-nanokontrol2")]
)
@pytest.mark.parametrize(
    "text",
    [
        "which note does pad 5 send? I want it to start Kdenlive",
        "which cc is my third knob?",
        "was schickt Regler 3?",
    ],
)
def test_a_question_about_a_control_is_answered_for_the_connected_device(
    tmp_path: Path, port: str, device: str, text: str
):
    where = KnowledgePaths(SHIPS.sources, SHIPS.guide, SHIPS.index, tmp_path / "knowledge")
    library = KnowledgeBase(tmp_path, connected_ports=lambda: [port], paths=where)
    for found in (library.retrieve_for_message(text).found, library.search_chunks(text)):
        assert found[0].chunk.device == device
        assert {each.chunk.device for each in found} <= {None, device}


def test_a_named_device_is_meant_whatever_is_connected(tmp_path: Path):
    where = KnowledgePaths(SHIPS.sources, SHIPS.guide, SHIPS.index, tmp_path / "knowledge")
    library = KnowledgeBase(tmp_path, connected_ports=lambda: ["LPD8"], paths=where)
    found = library.search_chunks("which note is pad 5 of a Launchpad Mini MK3?")
    assert found[0].chunk.device == "novation-launchpad-mini-mk3"


@pytest.mark.parametrize(
    "text",
    [
        "which note does pad 5 send? I want it to start Kdenlive",
        "light the pads of my controller, then open Reaktor",
        "which note does pad 5 send? It starts take3.wav",
        "play old-song_v2.mp3 when I hit a pad?",
    ],
)
def test_the_name_of_an_app_or_a_file_hides_no_device(library: KnowledgeBase, text: str):
    assert library.get_index().list_unrelated_devices(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "which CC do the faders of the Zorblax have",
        "I bought a Zorblax. which notes do the pads send",
        "please light up the Zorblax pads",
        "numéros de notes des pads du Zorblax",
    ],
)
def test_a_product_that_is_asked_about_hides_all_devices(library: KnowledgeBase, text: str):
    assert len(library.get_index().list_unrelated_devices(text)) == len(KNOWN)


def test_a_device_is_found_by_its_name_without_the_remark_in_brackets(library: KnowledgeBase):
    assert library.get_index().find_mentioned_devices("my Launchpad Pro") == {
        "novation-launchpad-pro"
    }


def test_a_follow_up_to_an_answer_about_it_is_recognised(library: KnowledgeBase):
    found = library.retrieve_for_message(
        "and what does it send for pad 1?", last_answer=f"The {HUNDRED[0]} is new."
    )
    assert [each.chunk.source for each in found.found] == ["device/no-profile"]


def test_beside_a_known_device_only_that_devices_numbers_are_shown(library: KnowledgeBase):
    found = library.search_chunks(f"knobs of the Akai MIDImix and of the {HUNDRED[0]}")
    assert found[0].chunk.source == "device/no-profile"
    assert {each.chunk.device for each in found[1:]} <= {None, "akai-midimix"}


def test_with_texts_about_devices_off_an_unknown_model_hides_no_other_text(tmp_path: Path):
    where = KnowledgePaths(SHIPS.sources, SHIPS.guide, SHIPS.index, tmp_path / "knowledge")
    settings = KnowledgeSettings(disabled_sources=("device",))
    library = KnowledgeBase(tmp_path, lambda: settings, paths=where)
    query = f"which CC is the sustain pedal on a {HUNDRED[0]}?"
    for found in (library.retrieve_for_message(query).found, library.search_chunks(query)):
        assert found
        assert not [each for each in found if each.chunk.domain == "device"]

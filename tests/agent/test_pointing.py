"""What the user attaches and points at, the chips that are offered, and commands without a model."""

import asyncio
import io
from pathlib import Path

import mido
import pytest
from tests.agent.stage import (
    Scripted,
    Stage,
    plans_of,
    results_of,
    say,
    text_of,
)

from conductor.agent.attach import convert_attachment
from conductor.domain.chat.messages import (
    FilePart,
    ImagePart,
    MentionPart,
    SendRequest,
    TextPart,
)
from conductor.domain.devices import DeviceStatus
from conductor.errors import InvalidParams

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20


def midi_file() -> bytes:
    track = mido.MidiTrack([mido.Message("note_on", note=36, velocity=90, time=480)])
    file = mido.MidiFile(tracks=[track])
    out = io.BytesIO()
    file.save(file=out)
    return out.getvalue()


def test_a_config_a_midi_file_and_images_can_be_attached():
    config = convert_attachment("/tmp/x/my config.toml", b"\xef\xbb\xbf[[modes]]\r\nname = 'A'\r\n")
    assert config == FilePart(name="my config.toml", kind="config", text="[[modes]]\nname = 'A'\n")
    midi = convert_attachment("a.mid", midi_file())
    assert isinstance(midi, FilePart)
    assert (midi.kind, midi.text) == ("midi", "0.500 s note 36 (C1) ch 1 velocity 90")
    for content, kind in (
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
    ):
        image = convert_attachment("picture.xyz", content)
        assert isinstance(image, ImagePart)
        assert image.media_type == kind


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.exe", b"MZ", "a.exe cannot be attached: choose a config"),
        ("a.toml", b"\xff\xfe", "not UTF-8"),
        ("a.toml", b"x" * 300_000, "at most 0.2 MB"),
        ("a.png", PNG + b"x" * 5_000_000, "at most 5 MB"),
        ("a.mid", b"nothing", "cannot be read"),
        ("a.toml", b"", "is empty"),
    ],
)
def test_what_cannot_be_attached_is_refused_with_what_can(name: str, content: bytes, words: str):
    with pytest.raises(InvalidParams, match=words):
        convert_attachment(name, content)


def test_controls_devices_modes_plans_and_mappings_can_be_pointed_at(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path)
        stage.touch(36, 5)
        stage.touch(38, 1)
        answer = await stage.ask("/mode new Studio")
        assert len(plans_of(answer)) == 1
        every = stage.chat.conversations.find_mentions("")
        assert [one.label for one in every[:2]] == ["pad 38 of pads", "pad 36 of pads"]
        assert {one.kind for one in every} == {"control", "device", "mode", "plan", "mapping"}
        assert [one.label for one in stage.chat.conversations.find_mentions("mode live")] == [
            "Live"
        ]
        assert (
            "note 36 (C1) on channel 10 of pads"
            in stage.chat.conversations.find_mentions("pad 36")[0].detail
        )

    asyncio.run(run())


def test_what_is_pointed_at_and_attached_reaches_the_model(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, model := Scripted("first", say("Good.")))
        parts = (
            TextPart(text="Map this:"),
            MentionPart(kind="control", label="pad 36", detail="note 36 on channel 10"),
            FilePart(name="a.toml", kind="config", text="[[modes]]"),
        )
        await stage.answered(await stage.chat.send_message(SendRequest(parts=parts)))
        assert model.requests[0].messages[-1].parts == parts

    asyncio.run(run())


def test_chips_are_made_of_how_things_stand(tmp_path: Path):
    stage = Stage(tmp_path)
    assert "What is mapped in the active mode?" in stage.chat.conversations.list_suggestions()
    stage.touch(36)
    first = stage.chat.conversations.list_suggestions()[0]
    assert "note 36 (C1) on channel 10 of pads" in first
    stage.engine.events.clear()
    stage.touch(40)
    assert "touched" not in stage.chat.conversations.list_suggestions()[0]
    stage.devices = [
        DeviceStatus(device_id="raw:Mikro", port_name="Mikro", kind="midi_input").to_row()
    ]
    assert "Give the device Mikro a name" in stage.chat.conversations.list_suggestions()
    assert len(stage.chat.conversations.list_suggestions()) <= 4


def test_with_nothing_mapped_the_first_chip_begins_with_a_touch(tmp_path: Path):
    assert "touch" in Stage(tmp_path, config="").chat.conversations.list_suggestions()[0]


def test_a_slash_command_makes_a_plan_without_any_model(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, model := Scripted("first"))
        answer = await stage.ask("/map pad 36 to cmd+c")
        assert (answer.state, model.requests, answer.model) == ("complete", [], None)
        [result] = results_of(answer)
        assert result.ok
        assert "Proposed: " in text_of(answer)
        stage.apply(answer)
        assert len(list(stage.store.current_config.list_all_mappings())) == 2
        answer = await stage.ask("/nonsense", conversation_id=answer.conversation_id)
        assert "There is no command `/nonsense`" in text_of(answer)
        answer = await stage.ask("/switch Nowhere", conversation_id=answer.conversation_id)
        assert "Nowhere" in text_of(answer)
        assert stage.chat.conversations.list_conversations()[0].messages == 6

    asyncio.run(run())


def test_a_mention_in_a_slash_command_counts_as_written(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path)
        pad = MentionPart(kind="control", label="pad 36", detail="note 36")
        parts = (TextPart(text="/map"), pad, TextPart(text="to cmd+c"))
        sent = await stage.chat.send_message(SendRequest(parts=parts))
        assert len(plans_of(await stage.answered(sent))) == 1

    asyncio.run(run())


def test_a_path_is_no_command(tmp_path: Path):
    async def run() -> None:
        stage = Stage(tmp_path, model := Scripted("first", say("A folder.")))
        await stage.ask("/usr/bin is what?")
        assert len(model.requests) == 1

    asyncio.run(run())

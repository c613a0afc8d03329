"""What kinds of files are read, as which text, and what cannot be read says what it is."""

import base64
import gzip
import io
import json
import os
import zipfile
import zlib
from pathlib import Path

import mido
import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, EncodedStreamObject, NameObject
from tests.capabilities.disk import Disk

from conductor.capabilities.file_kinds import detect_kind
from conductor.capabilities.files import MAX_PORTION_CHARACTERS
from conductor.errors import ConductorError, NotAvailable


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "an image; the user can attach it"),
        (b"SQLite format 3\0" + bytes(100), "a database"),
        (b"\x7fELF\x02\0\0", "a program"),
        (bytes(1_000), "binary data"),
        (bytes(range(1, 32)) * 100, "binary data"),
        (b"\x1f\x8b" + b"damaged", "damaged or protected"),
        (gzip.compress(bytes(20_000_000)), "unpacks to more than 10 MB"),
        (b"PK\x03\x04" + b"damaged", "damaged or protected"),
    ],
    ids=["png", "sqlite", "elf", "zeros", "controls", "gzip", "bomb", "zip"],
)
def test_what_is_not_text_is_refused_by_its_name(disk: Disk, content: bytes, words: str):
    with pytest.raises(NotAvailable, match=words):
        disk.read(disk.write("file.dat", content))


def test_a_huge_file_is_refused_by_its_size(disk: Disk):
    path = disk.granted / "huge.txt"
    with path.open("wb") as file:
        file.truncate(50_000_000_000)
    with pytest.raises(NotAvailable, match=r"50000\.0 MB; files of this kind are read up to 5 MB"):
        disk.read(path)


def zipped(name: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return packed.getvalue()


def test_an_archive_is_not_unpacked_but_for_a_layout(disk: Disk):
    with pytest.raises(NotAvailable, match="an archive; unpack it first"):
        disk.read(disk.write("a.zip", zipped("a.txt", b"hello")))
    layout = b'<?xml version="1.0"?><layout version="16" mode="1"><tabpage/></layout>'
    found = disk.read(disk.write("a.touchosc", zipped("index.xml", layout)))
    assert (found.kind, "tabpage" in found.text) == ("TouchOSC layout", True)
    with pytest.raises(NotAvailable, match="unpacks to more"):
        disk.read(disk.write("b.touchosc", zipped("index.xml", bytes(20_000_000))))


def paper(*pages: str, password: str = "") -> bytes:
    """Make a PDF with a line of text on each page."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
        }
    )
    for text in pages:
        page = writer.add_blank_page(600, 800)
        stream = DecodedStreamObject()
        lines = "".join(f"({line}) Tj 0 -14 Td " for line in text.split("\n"))
        stream.set_data(f"BT /F1 12 Tf 20 780 Td {lines}ET".encode())
        page[NameObject("/Contents")] = writer._add_object(stream)  # pyright: ignore[reportPrivateUsage]
        fonts = DictionaryObject()
        fonts[NameObject("/F1")] = writer._add_object(font)  # pyright: ignore[reportPrivateUsage]
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    if password:
        writer.encrypt(password, algorithm="AES-256")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def test_a_paper_is_read_by_its_pages(disk: Disk):
    long = "\n".join(f"row {number} of the chart" for number in range(200))
    path = disk.write("manual.pdf", paper("Zaptron manual", long, long, long, "The end"))
    first = disk.read(path)
    assert first.kind == "PDF, 5 pages"
    assert "[page 1]\nZaptron manual" in first.text
    assert first.next_start == 4
    assert "The end" in disk.read(path, 5).text
    assert disk.read(path, 5).next_start is None
    with pytest.raises(NotAvailable, match="it has 5 pages"):
        disk.read(path, 6)


def test_a_paper_is_searched_as_a_whole_and_the_pages_are_named(disk: Disk):
    filler = "\n".join(f"row {number} of the chart" for number in range(150))
    pages = [filler] * 6 + ["Filter\nCutoff is CC 74, resonance is CC 71"] + [filler] * 3
    found = disk.read(disk.write("manual.pdf", paper(*pages)), find="cc  74")
    assert found.text == "page 7: Cutoff is CC 74, resonance is CC 71"
    assert found.kind == "PDF, 10 pages"


def test_papers_that_cannot_be_read_say_why(disk: Disk):
    whole = paper("Zaptron manual")
    for content, words in (
        (paper("secret", password="pass"), "locked with a password"),
        (whole[: len(whole) // 3], "damaged"),
        (b"%PDF-1.7\n" + os.urandom(3_000), "damaged"),
        (b"", "damaged"),
    ):
        with pytest.raises(NotAvailable, match=words):
            disk.read(disk.write("a.pdf", content))


def with_contents(data: bytes) -> bytes:
    """Make a PDF whose one page has these contents, packed."""
    writer, stream = PdfWriter(), EncodedStreamObject()
    page = writer.add_blank_page(600, 800)
    stream._data = zlib.compress(data, 9)  # pyright: ignore[reportPrivateUsage]
    stream[NameObject("/Filter")] = NameObject("/FlateDecode")
    page[NameObject("/Contents")] = writer._add_object(stream)  # pyright: ignore[reportPrivateUsage]
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


@pytest.mark.parametrize(
    "contents",
    [bytes(200_000_000), b"BT (x) Tj ET " * 2_000_000, b"q " * 4_000_000, b"[" * 2_000_000],
    ids=["bomb", "words", "deep", "nested"],
)
def test_a_paper_made_to_stall_its_reader_ends(disk: Disk, contents: bytes):
    try:
        found = disk.read(disk.write("a.pdf", with_contents(contents)))
    except NotAvailable:
        return
    assert len(found.text) <= MAX_PORTION_CHARACTERS + 100


def test_a_paper_without_a_text_says_so(disk: Disk):
    assert "no text" in disk.read(disk.write("scan.pdf", paper("", ""))).text


def test_a_midi_file_is_told_by_its_tracks(disk: Disk):
    file, track = mido.MidiFile(ticks_per_beat=480), mido.MidiTrack()
    file.tracks.append(track)
    track += [
        mido.MetaMessage("track_name", name="Bass"),
        mido.MetaMessage("set_tempo", tempo=mido.bpm2tempo(90)),
        mido.MetaMessage("time_signature", numerator=7, denominator=8),
        mido.Message("program_change", program=32, channel=1),
        mido.Message("note_on", note=36, velocity=100, channel=1, time=480),
        mido.Message("note_off", note=36, channel=1, time=480),
    ]
    written = io.BytesIO()
    file.save(file=written)
    found = disk.read(disk.write("song.dat", written.getvalue()))
    assert found.kind == "MIDI file"
    for words in (
        "90 bpm",
        "7/8",
        "`Bass`: channels 2, 1 notes",
        "32 (GM 33)",
        "0.667 s note 36 (C1)",
    ):
        assert words in found.text
    with pytest.raises(ConductorError, match="cannot be read"):
        disk.read(disk.write("bad.mid", b"MThd\0\0"))


def test_a_sysex_dump_is_told_in_hexadecimal(disk: Disk):
    found = disk.read(disk.write("dump.syx", bytes.fromhex("F07E7F0601F7F04101F7")))
    assert (found.kind, found.text) == ("SysEx dump", "F0 7E 7F 06 01 F7\nF0 41 01 F7")


OTHERS: dict[str, str] = {
    "Bome MIDI Translator project": "; ------- Bome MIDI Translator: Project File\n[Project]\nVersion=1\n[Preset.0]\n"
    "Name=Pads\nName0=Copy\nIncoming0=MID1 1 9024\nOutgoing0=KAM11000KSQ1000\nOptions0=Actv01Stop00OutO00\n",
    "Mixxx controller mapping": '<?xml version="1.0"?>\n<MixxxControllerPreset mixxxVersion="2.0" schemaVersion="1">'
    "<info><name>X</name></info></MixxxControllerPreset>",
    "VirtualDJ mapper": '<?xml version="1.0" encoding="UTF-8"?>\n<mapper device="DDJ" author="x" version="850">'
    '<map value="PAD1" action="hot_cue 1" /></mapper>',
    "VirtualDJ controller definition": '<device name="Z" author="x" drivername="Zaptron"><button/></device>',
    "Traktor settings": '<?xml version="1.0"?>\n<NIXML><TraktorSettings><Entry Name="x" Type="3" Value="y"/>'
    "</TraktorSettings></NIXML>",
    "rekordbox MIDI mapping": "@file,1,DDJ-400\n#name,function,type,input\n",
    "Bitfocus Companion export": json.dumps(
        {"version": 6, "type": "full", "pages": {}, "triggers": {}}
    ),
    "ReaLearn preset": json.dumps(
        {"version": "2.16.0", "name": "x", "mappings": [{"source": {}, "target": {}}]}
    ),
    "Open Stage Control session": json.dumps(
        {"createdWith": "Open Stage Control", "type": "session", "content": {}}
    ),
    "Chataigne project": json.dumps({"metaData": {"version": "1.9"}, "modules": {}}),
    "Karabiner-Elements rules": json.dumps({"title": "x", "rules": [{"manipulators": []}]}),
    "QLC+ workspace": '<?xml version="1.0"?>\n<!DOCTYPE Workspace>\n'
    '<Workspace xmlns="http://www.qlcplus.org/Workspace"></Workspace>',
    "AntiMicroX profile": '<?xml version="1.0"?>\n<gamecontroller configversion="19" appversion="3"></gamecontroller>',
    "TouchOSC layout": '<?xml version="1.0"?><lexml version="3"><node type="GROUP"/></lexml>',
    "REAPER key map": "KEY 1 32 40044 0\nSCR 4 0 x y z\n",
    "Conductor config": '[[modes]]\nname = "Default"\n',
    "JSON": '{"a": 1}',
    "XML": "<?xml version='1.0'?><a/>",
    "CSV": "a,b\n1,2",
}


@pytest.mark.parametrize("kind", OTHERS)
def test_set_ups_of_other_programs_are_recognised_by_what_is_in_them(disk: Disk, kind: str):
    name = "set.csv" if kind == "CSV" else "set.dat"
    found = disk.read(disk.write(name, OTHERS[kind]))
    assert (found.kind, found.text) == (kind, OTHERS[kind])


def test_a_layout_that_is_saved_packed_is_unpacked(disk: Disk):
    layout = OTHERS["TouchOSC layout"].encode()
    for content in (zlib.compress(layout), gzip.compress(layout)):
        found = disk.read(disk.write("a.tosc", content))
        assert (found.kind, found.text) == ("TouchOSC layout", layout.decode())


def test_the_names_inside_traktor_settings_are_shown_in_place_of_letters(disk: Disk):
    inside = (
        b"DIOM\0\0\1\0"
        + "Ch01.Note.C1".encode("utf-16-be")
        + bytes(400)
        + "Deck".encode("utf-16-be")
    )
    packed = base64.b64encode(inside).decode()
    text = OTHERS["Traktor settings"].replace('"y"', f'"{packed}"')
    found = disk.read(disk.write("a.tsi", text))
    assert f"[{len(inside)} packed bytes; names inside: Ch01.Note.C1, Deck]" in found.text


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 50_000, "<mapper " * 8_000, '"' * 60_000]
)
def test_a_text_made_to_stall_its_recogniser_is_still_named(text: str):
    assert detect_kind(text, ".txt") in ("text", "XML", "JSON")

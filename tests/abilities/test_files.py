"""File reading: what the user granted, as text, in portions; and nothing else on this computer."""

import asyncio
import base64
import gzip
import io
import json
import os
import socket
import threading
import zipfile
import zlib
from pathlib import Path

import mido
import pytest
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, EncodedStreamObject, NameObject

from conductor.abilities import folders as folders_module
from conductor.abilities.file_kinds import kind_of
from conductor.abilities.files import ENTRIES, PORTION, Files, FileText
from conductor.devices.midi_summary import describe_midi_file
from conductor.errors import ConductorError, InvalidParams, NotAllowed, NotAvailable

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n"


class Disk:
    """A granted folder, one that is not, and Conductor's home, on a real disk."""

    def __init__(self, root: Path) -> None:
        self.granted, self.other, self.home = (root / name for name in ("music", "other", "home"))
        for folder in (self.granted, self.other, self.home):
            folder.mkdir()
        (self.other / "diary.txt").write_text("secret of the diary")
        self.folders: tuple[str, ...] = (str(self.granted),)
        self.files = Files(lambda: self.folders, self.home, describe_midi_file)

    def write(self, name: str, content: str | bytes) -> str:
        path = self.granted / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def read(self, path: str | Path, start: int = 0) -> FileText:
        return asyncio.run(self.files.read(str(path), start))


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


def test_a_text_is_given_with_its_kind(disk: Disk):
    found = disk.read(disk.write("notes.md", "# Pads\r\nPad 1 is note 36"))
    assert (found.kind, found.text) == ("Markdown", "# Pads\nPad 1 is note 36")
    assert found.next_start is None


def test_a_long_text_is_read_on(disk: Disk):
    text = "\n".join(f"line {number}" for number in range(3_000))
    path, found, start = disk.write("long.log", text), "", 0
    while start is not None:
        portion = disk.read(path, start)
        assert len(portion.text) <= PORTION
        found, start = found + portion.text, portion.next_start
    assert found == text
    with pytest.raises(NotAvailable, match="characters"):
        disk.read(path, len(text) + 1)


@pytest.mark.parametrize(
    "content",
    [
        "naïve".encode(),
        "naïve".encode("utf-8-sig"),
        "naïve".encode("utf-16"),
        "naïve".encode("cp1252"),
    ],
    ids=["utf-8", "bom", "utf-16", "cp1252"],
)
def test_texts_of_other_encodings_are_read(disk: Disk, content: bytes):
    assert disk.read(disk.write("a.txt", content)).text == "naïve"


def test_what_nobody_sees_is_taken_out(disk: Disk):
    assert disk.read(disk.write("a.txt", "pads\u202e\u200b\x1b[31m note")).text == "pads[31m note"


def test_no_path_lists_the_granted_folders(disk: Disk):
    assert disk.read("").text == str(disk.granted)


def test_a_folder_is_listed_without_its_private_files(disk: Disk):
    disk.write("b.mid", b"MThd")
    disk.write("sets/a.txt", "")
    disk.write(".ssh/config", "")
    disk.write(".env", "TOKEN=1")
    (disk.granted / "out").symlink_to(disk.other)
    assert disk.read(disk.granted).text.split("\n") == ["b.mid (4 bytes)", "out (link)", "sets/"]


def test_a_large_folder_is_listed_in_portions(disk: Disk):
    for number in range(ENTRIES + 5):
        disk.write(f"{number:04}.txt", "")
    first = disk.read(disk.granted)
    assert first.next_start == ENTRIES
    rest = disk.read(disk.granted, ENTRIES)
    assert (len(rest.text.split("\n")), rest.next_start) == (5, None)


@pytest.mark.parametrize("path", ["notes.txt", "music/notes.txt", "sub/../notes.txt"])
def test_a_path_without_its_beginning_is_found_in_the_granted_folders(disk: Disk, path: str):
    disk.write("notes.txt", "here")
    if ".." in path:
        with pytest.raises(InvalidParams, match=r"without `\.\.`"):
            disk.read(path)
    else:
        assert disk.read(path).text == "here"


def outside(disk: Disk) -> dict[str, str]:
    (disk.granted / "link.txt").symlink_to(disk.other / "diary.txt")
    (disk.granted / "linked").symlink_to(disk.other)
    (disk.granted / "up").symlink_to("..")
    (disk.granted / "root").symlink_to("/")
    (disk.granted / "chain").symlink_to(disk.granted / "linked")
    (disk.granted / "loop").symlink_to(disk.granted / "loop")
    disk.write("music.txt", "")
    (disk.granted.parent / "music-private").mkdir()
    (disk.granted.parent / "music-private" / "a.txt").write_text("a sibling's name begins the same")
    return {
        "a path elsewhere": str(disk.other / "diary.txt"),
        "the folder above": str(disk.granted.parent),
        "a sibling whose name begins the same": str(
            disk.granted.parent / "music-private" / "a.txt"
        ),
        "dots": str(disk.granted / ".." / "other" / "diary.txt"),
        "relative dots": "../other/diary.txt",
        "dots through a link": str(disk.granted / "linked" / ".." / "other" / "diary.txt"),
        "a link": str(disk.granted / "link.txt"),
        "a linked folder": str(disk.granted / "linked" / "diary.txt"),
        "the linked folder itself": str(disk.granted / "linked"),
        "a link up": str(disk.granted / "up" / "other" / "diary.txt"),
        "a link to the root": str(disk.granted / "root" / "etc" / "passwd"),
        "a chain of links": str(disk.granted / "chain" / "diary.txt"),
        "a link to itself": str(disk.granted / "loop"),
        "a file as a folder": str(disk.granted / "music.txt" / "x"),
        "a zero": f"{disk.granted}/a\0b",
        "a very long path": f"{disk.granted}/{'x' * 5_000}",
        "a very long name": f"{disk.granted}/{'x' * 400}",
        "passwd": "/etc/passwd",
        "the environment": "/proc/self/environ",
        "an open file of this process": "/proc/self/fd/0",
        "a device": "/dev/zero",
        "home of the system": "~root/.bashrc",
        "a network share": "\\\\server\\share\\file",
        "a web address": "file:///etc/passwd",
    }


@pytest.mark.parametrize("case", range(24))
def test_no_path_leads_out_of_the_granted_folder(disk: Disk, case: int):
    path = list(outside(disk).values())[case]
    with pytest.raises(ConductorError) as refused:
        disk.read(path)
    assert "diary" not in str(refused.value).replace("diary.txt", "")


def test_a_path_outside_says_how_a_folder_is_granted(disk: Disk):
    for path in ("/etc/passwd", str(disk.other / "nothing-here"), str(disk.granted / "link")):
        (disk.granted / "link").unlink(missing_ok=True)
        (disk.granted / "link").symlink_to(disk.other / "diary.txt")
        with pytest.raises(NotAllowed, match=r"Settings > Skills.*`folders` under \[skills\]"):
            disk.read(path)
    disk.folders = ()
    with pytest.raises(NotAllowed, match="no folder that the assistant may read"):
        disk.read("")


def test_even_a_granted_root_does_not_open_the_system_or_secrets(disk: Disk):
    disk.folders = ("/",)
    for path in (
        "/proc/self/environ",
        "/proc/1/cmdline",
        "/sys/kernel/uevent_seqnum",
        "/dev/null",
        "/etc/shadow",
    ):
        with pytest.raises(NotAllowed):
            disk.read(path)
    (disk.home / "notes.txt").write_text("inside")
    with pytest.raises(NotAllowed, match="Conductor's own folder"):
        disk.read(disk.home / "notes.txt")


def test_only_plain_files_are_read(disk: Disk):
    os.mkfifo(disk.granted / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(disk.granted / "socket.txt"))
    for name in ("pipe.txt", "socket.txt"):
        with pytest.raises(NotAllowed, match="a device, a pipe or a socket"):
            disk.read(disk.granted / name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            ".env",
            ".env.local",
            "prod.env",
            ".ssh/config",
            ".SSH/known_hosts",
            "server.pem",
            "tls.key",
        ),
        *(
            "id_rsa",
            "id_ed25519.txt",
            ".netrc",
            ".npmrc",
            ".git/config",
            "passwords.kdbx",
            ".bash_history",
        ),
        *(
            ".aws/credentials",
            "credentials.json",
            "secrets.toml",
            "conductor.db",
            "conductor.db-wal",
        ),
        *(
            "mcp.json",
            ".gnupg/a",
            "Chromium/Default/x",
            "client_secret_1.json",
            ".password-store/a.gpg",
        ),
    ],
)
def test_files_that_hold_secrets_are_never_read(disk: Disk, name: str):
    with pytest.raises(NotAllowed, match="is not read"):
        disk.read(disk.write(name, "TOKEN=1"))


@pytest.mark.parametrize("name", ["notes.txt", "set.json", "linked.txt"])
def test_a_private_key_is_refused_whatever_its_file_is_called(disk: Disk, name: str):
    if name == "linked.txt":
        (disk.other / "id_rsa").write_text(KEY)
        os.link(disk.other / "id_rsa", disk.granted / name)
        path = str(disk.granted / name)
    else:
        path = disk.write(name, "x" * 20_000 + KEY)
    with pytest.raises(NotAllowed, match="a private key in it"):
        disk.read(path)


def test_a_link_put_in_place_while_a_file_is_opened_gains_nothing(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
):
    path = Path(disk.write("set/a.txt", "harmless"))
    really_open = os.open

    def swapped(asked: Path, flags: int) -> int:
        """Between the look and the opening, another program puts a link in the folder's place."""
        path.parent.rename(disk.granted / "before")
        path.parent.symlink_to(disk.other)
        (disk.other / "a.txt").write_text("secret")
        return really_open(asked, flags)

    monkeypatch.setattr(folders_module.os, "open", swapped)
    with pytest.raises((NotAllowed, NotAvailable), match=r"link leads out|was changed"):
        disk.read(path)


def test_links_that_are_swapped_all_the_time_never_lead_out(disk: Disk):
    inside, ended = disk.write("real.txt", "harmless"), threading.Event()
    target = disk.granted / "swap.txt"

    def swap() -> None:
        turn = 0
        while not ended.is_set():
            temporary = disk.granted / f"next{turn % 2}"
            temporary.unlink(missing_ok=True)
            temporary.symlink_to(disk.other / "diary.txt" if turn % 2 else inside)
            temporary.replace(target)
            turn += 1

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(300):
            try:
                assert disk.read(target).text == "harmless"
            except ConductorError:
                pass
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "an image; the user can attach it"),
        (b"SQLite format 3\0" + bytes(100), "a database"),
        (b"\x7fELF\x02\0\0", "a program"),
        (bytes(1_000), "binary data"),
        (bytes(range(1, 32)) * 100, "binary data"),
        (b"\x1f\x8b" + b"damaged", "damaged or locked"),
        (gzip.compress(bytes(20_000_000)), "unpacks to more than 10 MB"),
        (b"PK\x03\x04" + b"damaged", "damaged or locked"),
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
    assert len(found.text) <= PORTION + 100


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
    assert kind_of(text, ".txt") in ("text", "XML", "JSON")


def test_a_granted_folder_may_be_reached_by_a_link_of_the_user(disk: Disk, tmp_path: Path):
    disk.write("a.txt", "here")
    (tmp_path / "shortcut").symlink_to(disk.granted)
    disk.folders = (str(tmp_path / "shortcut"),)
    assert disk.read(tmp_path / "shortcut" / "a.txt").text == "here"
    assert disk.read(disk.granted / "a.txt").text == "here"

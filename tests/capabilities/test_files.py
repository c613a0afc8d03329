"""File reading: what the user granted, in portions; and nothing else on this computer."""

import os
import socket
import threading
from pathlib import Path

import pytest
from tests.capabilities.disk import Disk

from conductor.capabilities import folders as folders_module
from conductor.capabilities.files import MAX_PORTION_CHARACTERS, MAX_PORTION_ENTRIES
from conductor.errors import ConductorError, InvalidParams, NotAllowed, NotAvailable

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n"


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
        assert len(portion.text) <= MAX_PORTION_CHARACTERS
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


def test_only_the_lines_that_have_some_words_are_given(disk: Disk):
    path = disk.write("long.log", "start\n" + "note 36\n" * 3 + "x" * 20_000 + "\nCC 74 went up")
    found = disk.read(path, find="cc 74")
    assert (found.text, found.next_start) == ("6: CC 74 went up", None)
    assert disk.read(path, find="aftertouch").text == "(no line contains these words)"
    assert disk.read(disk.granted, find="LONG").text == "long.log (20044 bytes)"


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
    for number in range(MAX_PORTION_ENTRIES + 5):
        disk.write(f"{number:04}.txt", "")
    first = disk.read(disk.granted)
    assert first.next_start == MAX_PORTION_ENTRIES
    rest = disk.read(disk.granted, MAX_PORTION_ENTRIES)
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
        with pytest.raises(
            NotAllowed, match=r"Settings > Assistant tools.*`folders` under \[skills\]"
        ):
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
    with pytest.raises(NotAllowed, match="contains a private key"):
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


def test_a_granted_folder_may_be_reached_by_a_link_of_the_user(disk: Disk, tmp_path: Path):
    disk.write("a.txt", "here")
    (tmp_path / "shortcut").symlink_to(disk.granted)
    disk.folders = (str(tmp_path / "shortcut"),)
    assert disk.read(tmp_path / "shortcut" / "a.txt").text == "here"
    assert disk.read(disk.granted / "a.txt").text == "here"


def test_a_file_of_another_user_with_a_second_name_is_not_read(
    disk: Disk, monkeypatch: pytest.MonkeyPatch
):
    path = disk.write("report.txt", "pads")
    os.link(path, Path(path).with_name("again.txt"))
    assert disk.read(path).text == "pads"
    somebody = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: somebody)
    with pytest.raises(NotAllowed, match="belongs to another user"):
        disk.read(path)
    Path(path).with_name("again.txt").unlink()
    assert disk.read(path).text == "pads"

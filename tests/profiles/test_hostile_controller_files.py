"""Controller files that are huge, deep, binary or malicious are refused at once, with what to do."""

import json
import os
import time
from pathlib import Path

import pytest

from conductor.errors import InvalidParams
from conductor.profiles.catalog import ProfileCatalog
from conductor.profiles.controller_files.controls import MAX_CONTROLLER_FILE_BYTES
from conductor.profiles.controller_files.importer import (
    import_profile_from_content,
    import_profile_from_path,
)

NO_PROFILES = ProfileCatalog({}, frozenset())
WITHIN_S = 20.0
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    '<ArdourMIDIBindings name="&b;"/>'
)
EXTERNAL = (
    '<?xml version="1.0"?><!DOCTYPE x SYSTEM "file:///etc/passwd">'
    '<ArdourMIDIBindings name="a"><Binding channel="1" ctl="1"/></ArdourMIDIBindings>'
)


def refusal(name: str, content: bytes | str) -> str:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    began = time.monotonic()
    with pytest.raises(InvalidParams) as caught:
        import_profile_from_content(name, data, NO_PROFILES, "", "")
    assert time.monotonic() - began < WITHIN_S
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.map", LAUGHS, "DOCTYPE"),
        ("a.map", LAUGHS.encode("utf-16"), "DOCTYPE"),
        ("a.midi.xml", EXTERNAL, "DOCTYPE"),
        ("a.map", "<a>" * 100_000, "nested more than"),
        ("a.map", f"<a>{'<b/>' * 150_000}</a>", "more than 100000 elements"),
        ("a.map", "<ArdourMIDIBindings>", "not valid XML"),
        ("a.map", "<html><body/></html>", "not a controller file of Mixxx or Ardour"),
        ("a.map", "<ArdourMIDIBindings/>", "binds no controls"),
        ("a.map", "plain text", "not XML"),
        ("a.hid.xml", "<MixxxControllerPreset><controller/></MixxxControllerPreset>", "HID"),
        ("a.midi.xml", "\x00\x01\x02", "not a text file"),
        ("a.json", b"\x89PNG\r\n\x1a\n\x00\x00", "not a text file"),
        ("a.xyz", "hello", "its kind is unknown"),
        ("a", "", "empty"),
        ("a.json", '{"a":' * 100_000, "deeply"),
        ("a.json", '{"mappings": ' + "[" * 200_000, "deeply"),
        ("a.json", '{"mappings": 3}', "no list of mappings"),
        ("a.json", '{"mappings": "abc"}', "no list of mappings"),
        (
            "a.json",
            '{"mappings": [1, null, {"source": 3}, {"source": {"channel": {}}}]}',
            "MIDI source",
        ),
        ("a.json", '{"mappings": [' + "9" * 5_000 + "]}", "not valid JSON"),
        ("a.json", "{", "not valid JSON"),
        ("a.lua", "return " + "{" * 10_000, "nested more than"),
        ("a.lua", "return { mappings = load_all() }", "part of a program"),
        ("a.lua", "os.execute('touch lua-was-run')", "part of a program"),
        ("a.lua", "for i = 1, 10 do end", "part of a program"),
        ("a.lua", "return {", "middle of a table"),
        ("a.lua", "--[[" + "x" * 100_000, "middle of a table"),
        ("a.control.js", "loadAPI(1);" + "/*" * 200_000, "not run"),
        ("a.control.js", "loadAPI(1); var CC = " + "[" * 200_000, "not run"),
        ("a.control.js", "loadAPI(1); " + "var CC_A = " * 50_000, "not run"),
        ("a.js", "midi: [" * 100_000, "no MIDI address"),
        ("a.js", "new " + "a." * 200_000 + "b([", "no MIDI address"),
        ("a.js", '"' + "\\" * 400_000, "no MIDI address"),
        ("a.py", "(" * 5_000, "a.py"),
        ("a.py", "x = " + "-" * 100_000 + "1", "a.py"),
        ("a.py", "x = " + "1+" * 50_000 + "1", "a.py"),
        ("a.py", "print 'Live 10'", "Python 3"),
        ("a.py", "import os\nos.system('touch py-was-run')", "given by constants"),
        ("a.py", "CC_A = 10 ** 10 ** 10", "given by constants"),
        ("a.py", "CC_A = range(10 ** 9)\nCC_B = range(999999)", "given by constants"),
        ("a.py", "CC_A = 1\n" * 60_000, "larger than 500 kB"),
        ("a.toml", "x = 1", "not a valid device profile"),
    ],
)
def test_a_hostile_or_wrong_file_is_refused_with_the_reason(
    name: str, content: bytes | str, told: str
) -> None:
    assert told in refusal(name, content)


def test_a_file_that_is_too_large_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "large.midi.xml"
    path.write_bytes(b"<" + b"a" * MAX_CONTROLLER_FILE_BYTES)
    with pytest.raises(InvalidParams, match="larger than 2 MB"):
        import_profile_from_path(path, NO_PROFILES, "", "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes")
def test_a_named_pipe_and_a_missing_file_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.map")
    for name, why in (("pipe.map", "not a regular file"), ("none.map", "cannot be read")):
        with pytest.raises(InvalidParams, match=why):
            import_profile_from_path(tmp_path / name, NO_PROFILES, "", "")


def test_a_folder_is_read_within_limits(tmp_path: Path) -> None:
    with pytest.raises(InvalidParams, match=r"no \*\.py files"):
        import_profile_from_path(tmp_path, NO_PROFILES, "", "")
    for number in range(65):
        (tmp_path / f"m{number}.py").write_text("CC_A = 1\n")
    with pytest.raises(InvalidParams, match="more than 64"):
        import_profile_from_path(tmp_path, NO_PROFILES, "", "")
    for number in range(1, 65):
        (tmp_path / f"m{number}.py").unlink()
    (tmp_path / "outside.py").symlink_to("/etc/passwd")
    assert import_profile_from_path(tmp_path, NO_PROFILES, "", "").control_count == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "\n".join(["A = range(128)", *(f"C{n}_NOTES = [A, A, A]" for n in range(500))])),
        ("a.py", "A = range(1000)\n" + "add_button_matrix([A], 'x', msg_type=MIDI_CC_TYPE)\n" * 8_000),
        ("a.lua", "local a = {}\n" + "\n".join("local a = {a, a, a, a}" for _ in range(30))
            + '\nreturn {mappings = {{name = a, source = {kind = "MidiNoteVelocity", key_number = 1}}}}'),
        ("a.json", json.dumps({"mappings": [{"source": {"number": n % 128, "channel": n % 16}} for n in range(30_000)]})),
        ("a.map", "<ArdourMIDIBindings>" + "".join(
            f'<Binding channel="{n % 16 + 1}" note="{n // 16}" function="f{n * 7}"/>' for n in range(2_048)
        ) + "</ArdourMIDIBindings>"),
    ],
)  # fmt: skip
def test_a_small_file_that_describes_very_much_is_cut(name: str, text: str) -> None:
    began = time.monotonic()
    found = import_profile_from_content(name, text.encode(), NO_PROFILES, "", "")
    assert time.monotonic() - began < WITHIN_S
    assert 0 < found.control_count <= 1_024
    assert len(found.profile.variants[0].groups) <= 256

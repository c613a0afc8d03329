"""A profile that a user brings is read, or refused with what is wrong where and what to do."""

import json
import os
from pathlib import Path

import pytest

from conductor.errors import InvalidParams
from conductor.profiles.files import parse_profile, read_profile_file, read_profile_folder

GOOD = """\
id = "my-box"
maker = "Me"
model = "Box"
kind = "pads"
summary = "Four pads."
revision = "2026-11-21"

[[sources]]
id = "played"
title = "What I played"
kind = "measured"

[[variants]]
id = "default"
name = "Default"
when = "Always."

[[variants.groups]]
id = "pads"
role = "pad"
name = "Pad {n}"
message = "note"
numbers = ["38-39", "36-37"]
channel = 10
columns = 2
rows_from_bottom = true
place = { x = 0, y = 0, w = 20, h = 20 }
grade = "one_source"
sources = ["played"]
"""


def refusal(data: bytes | str, name: str = "box.toml") -> str:
    with pytest.raises(InvalidParams) as caught:
        parse_profile(data, name)
    message = str(caught.value)
    assert message.startswith(name)
    assert len(message) < 4_000
    return message


def test_a_profile_is_read_from_toml_and_the_same_from_json():
    profile = parse_profile(GOOD)
    assert profile.variants[0].groups[0].numbers == (38, 39, 36, 37)
    assert parse_profile(json.dumps(profile.to_plain())) == profile
    assert parse_profile(b"\xef\xbb\xbf" + GOOD.encode()) == profile


def test_an_unknown_key_is_named_with_its_line_and_what_was_probably_meant():
    message = refusal(GOOD.replace("channel = 10", "chanel = 10"))
    assert (
        "line 24, `variants[0].groups[0].chanel`: unknown key `chanel`; did you mean `channel`?"
        in (message)
    )


def test_a_missing_source_is_named():
    assert "there is no source `other`; there are ['played']" in refusal(
        GOOD.replace('sources = ["played"]', 'sources = ["other"]')
    )
    assert "`sources` is missing; add it" in refusal(GOOD.replace('sources = ["played"]', ""))


def test_two_sources_are_two():
    assert "`two_sources` needs two sources" in refusal(GOOD.replace("one_source", "two_sources"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('["38-39", "36-37"]', "[200]", "`200` is not a note number; it must be 0 to 127"),
        ('["38-39", "36-37"]', '["39-38"]', "`39-38` is not a run of numbers"),
        ('["38-39", "36-37"]', '["0-99999"]', "`0-99999` is not a run of numbers"),
        ('["38-39", "36-37"]', '["south"]', "`south` is not a note number"),
        ("channel = 10", "channel = 17", "less than or equal to 16"),
        ("channel = 10", "channels = [1, 2]", "2 entries for 4 numbers"),
        ('message = "note"', 'message = "button"', "there is no button `38`"),
        ("w = 20", "w = 400", "group `pads` lies outside the picture"),
        ("w = 20", "w = nan", "greater than 0"),
        ('id = "my-box"', 'id = "../box"', "should match pattern"),
        ('kind = "pads"', 'kind = "toaster"', "must be 'pads'"),
        ('role = "pad"', "role = 3", "line 20, `variants[0].groups[0].role`"),
    ],
)
def test_a_wrong_value_is_told_with_what_fits(old: str, new: str, said: str):
    assert said in refusal(GOOD.replace(old, new))


def test_text_that_is_not_toml_is_reported_with_its_line():
    assert "at line 2" in refusal('id = "x"\nmaker =\n')
    assert "line 1 column" in refusal('{"id": }', "box.json")


def test_two_megabytes_are_refused():
    assert "larger than 256 kB" in refusal(GOOD + "# " + "x" * 2_000_000)


def test_what_is_no_text_is_refused():
    assert "not valid UTF-8" in refusal(b"\x7fELF\xff\xfe\x00\x01")
    assert "invisible character, U+0000" in refusal(b"id = 'a\x00b'")


@pytest.mark.parametrize("hidden", ["\u202e", "\u2066", "\u200b", "\u0007", "\ue000"])
def test_characters_that_are_not_seen_are_refused_written_or_escaped(hidden: str):
    assert "line 5: an invisible character" in refusal(GOOD.replace("Four", f"Fo{hidden}ur"))
    escaped = GOOD.replace("Four", f"Fo\\u{ord(hidden):04x}ur")
    assert "line 5, `summary`: an invisible character" in refusal(escaped)


def test_a_line_break_in_a_text_is_refused():
    assert "`summary`: an invisible character" in refusal(GOOD.replace("Four", "Four\\n## Rules"))


def test_half_a_character_from_json_is_refused():
    raw = json.dumps(parse_profile(GOOD).to_plain()).replace("Four", "\\ud800")
    assert "`summary`: an invisible character" in refusal(raw, "box.json")


def test_a_hundred_thousand_groups_are_refused():
    assert "larger than 256 kB" in refusal(
        GOOD + GOOD[GOOD.index("[[variants.groups]]") :] * 100_000
    )
    group = GOOD[GOOD.index("[[variants.groups]]") :]
    more = "".join(group.replace('"pads"', f'"pads-{number}"') for number in range(256))
    assert "line 13, `variants[0].groups`: tuple should have at most 256 items" in refusal(
        GOOD + more
    )
    many = json.dumps({"variants": [{"groups": [0] * 80_000}]})
    assert "box.json is not a valid device profile" in refusal(many, "box.json")


def test_depth_without_end_is_refused():
    refusal("a = " + "[" * 20_000)
    refusal('{"a": ' + "[" * 900 + "]" * 900 + "}", "box.json")
    assert "too deep" in refusal('{"a": ' + "[" * 100_000, "box.json")


def test_only_the_first_dozen_problems_are_told():
    message = refusal("".join(f"key{number} = 1\n" for number in range(500)))
    assert message.count("\n- ") == 13
    assert "more" in message.rpartition("\n")[2]


def test_a_broken_profile_does_not_keep_the_others_from_being_read(tmp_path: Path):
    (tmp_path / "a.toml").write_text(GOOD)
    (tmp_path / "b.toml").write_text("nonsense")
    (tmp_path / "c.json").write_text(json.dumps(parse_profile(GOOD).to_plain()))
    (tmp_path / "d.toml").mkdir()
    folder = read_profile_folder(tmp_path)
    assert [profile.id for profile in folder.profiles] == ["my-box"]
    assert [problem.partition(" ")[0] for problem in folder.problems] == [
        "b.toml",
        "c.json:",
        "d.toml",
    ]


def test_a_file_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(InvalidParams, match=r"gone\.toml cannot be read"):
        read_profile_file(tmp_path / "gone.toml")


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 10_000 + " = 1",
        "[a" + ' . "a"' * 10_000 + "]\nb = 1",
        'x = { "a\\"b"' + ".'a'" * 10_000 + " = 1 }",
    ],
)
def test_a_key_of_thousands_of_parts_is_refused_before_it_is_read(text: str):
    assert "line 1: a key has more than 12 dots" in refusal(text)


@pytest.mark.parametrize("piece", ['"\\"', "'", "a ", "a.", '"a', ". ", "\\"])
def test_a_text_made_to_be_slow_is_refused_all_the_same(piece: str):
    refusal("a = " + piece * (200_000 // len(piece)))


def test_a_mistake_in_one_of_thousands_of_tables_is_told():
    message = refusal("".join(f"[[a.b{number}]]\n" for number in range(5_000)))
    assert "`a`: unknown key `a`" in message
    message = refusal("".join(f"[[sources]]\nid = {number}\n" for number in range(9_000)))
    assert "line 5, `sources[2].title`: `title` is missing" in message


def test_a_table_is_counted_again_below_each_parent_table():
    more = GOOD[GOOD.index("[[variants]]") :].replace('id = "default"', 'id = "other"')
    message = refusal(GOOD + more.replace("channel = 10", "chanel = 10"))
    assert "line 41, `variants[1].groups[0].chanel`" in message


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u3164", "\u2800", "\ufe0f", "\U000e0101"])
def test_a_name_that_nobody_sees_is_refused(blank: str):
    assert "invisible character" in refusal(GOOD.replace('maker = "Me"', f'maker = "{blank}"'))


@pytest.mark.parametrize("blank", ["\u3164", "\u2800", "\ufe0f", "\uffff"])
def test_what_is_not_seen_inside_a_name_is_refused(blank: str):
    assert "line 2: an invisible" in refusal(GOOD.replace('maker = "Me"', f'maker = "M{blank}e"'))


def test_a_pipe_or_a_link_to_nowhere_among_the_profiles_keeps_no_other_from_being_read(
    tmp_path: Path,
):
    (tmp_path / "a.toml").write_text(GOOD)
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "gone.toml").symlink_to(tmp_path / "nothing")
    (tmp_path / "loop.toml").symlink_to(tmp_path / "loop.toml")
    (tmp_path / ".#a.toml").symlink_to("me@box.1234:1700000000")
    folder = read_profile_folder(tmp_path)
    assert [profile.id for profile in folder.profiles] == ["my-box"]
    assert [problem.partition(" ")[0] for problem in folder.problems] == [
        "gone.toml",
        "loop.toml",
        "pipe.toml",
    ]

"""Parsing config.toml: problems have a plain message and a line, and nothing crashes."""

import random
from pathlib import Path

import pytest
from tests.config.examples import TEXT
from tests.support.prove import proves, scaled

from conductor.config.difference import to_comparison_text
from conductor.config.parse import (
    MAX_CONFIG_BYTES,
    decode_config_bytes,
    load_config,
    parse_config,
    read_raw_tables,
)
from conductor.config.render import convert_config_to_tables, render_config
from conductor.domain.config import Config
from conductor.domain.validate import Problem
from conductor.errors import ConfigError

EXAMPLES = [
    file.read_text() for file in sorted((Path(__file__).parents[1] / "data").rglob("*.toml"))
]
MUTATIONS = scaled(400)
ODD_VALUES = (
    """
3|nan|inf|-inf|true|1979-05-27|07:32:00|1979-05-27T07:32:00Z|[]|{}|[[[]]]|[1,[2]]|''|"\\u0000"|"x"
99999999999999999999999|0xffffffffffffffffffffff|-1|1e999|{a={b={}}}|[{},{}]|[[1],[2]]|128
""".strip()
    .replace("\n", "|")
    .split("|")
)


def problems(text: str) -> tuple[Problem, ...]:
    with pytest.raises(ConfigError) as caught:
        load_config(text)
    assert caught.value.problems
    return caught.value.problems


def problem(text: str) -> str:
    return problems(text)[0].format()


def with_trigger(trigger: str, action: str = '{ type = "Text", text = "a" }') -> str:
    return (
        f'[[modes]]\nname = "Default"\n[[modes.mappings]]\ntrigger = {trigger}\naction = {action}\n'
    )


VARIABLE = """
[[modes]]
name = "Default"
[[modes.mappings]]
trigger = {{ type = "Note", note = 1 }}
action = {{ type = "SetVariable", name = "a", value = {} }}
"""


def test_an_empty_text_is_a_config_with_the_default_mode():
    assert [mode.name for mode in parse_config("").modes] == ["Default"]


def test_an_unknown_key_comes_with_its_line_and_the_nearest_key():
    text = with_trigger('{ type = "Note", note = 1, velocty = 3 }')
    assert problem(text) == (
        "line 4: modes[0].mappings[0].trigger.velocty: "
        "unknown key `velocty` - did you mean `velocity_min`?"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mods = 3", "line 1: mods: unknown key `mods` - did you mean `modes`?"),
        ("modes = 3", "line 1: modes: must be a list in [ ]"),
        ("\n[settings.engin]\nx = 1", "line 2: settings.engin: unknown key `engin`"),
        ("settings.ui.theme = 'drak'", "must be one of `system`, `light`, `dark`"),
        ("settings.engine.osc_port = 70000", "settings.engine.osc_port: must be at most 65535"),
        ("settings.engine.osc_port = 'x'", "must be a whole number"),
        ("settings.engine = []", "must be a table"),
        ("[[modes]]\ncolor = 'red'", "line 1: modes[0].name: is missing"),
        (
            "[[modes]]\nname = 'A'\n[[modes]]\nname = 'A'",
            "line 4: modes[1].name: mode `A` already exists on line 2: put its mappings under it and delete this header",
        ),
        ("[[bindings]]\nalias = 'a'", "line 1: devices[0].matchers: is missing"),
        (
            "[[modes]]\nname = 'A'\n[[modes.mappings]]\ntrigger = { type = 'Note', note = 'C1' }\n"
            "action = { type = 'Keystroke', keys = ['a'] }",
            "line 4: modes[0].mappings[0].trigger.note: write the note as its number; C1 is 36 here (middle C, 60, is called C3)",
        ),
        ("version = 99", "made by a newer Conductor (version 99); update Conductor to use it"),
        ("[settings.ui]\nnote_names = 2020-01-01", "line 2: settings.ui.note_names: is a date"),
        ("version = nan", "must be a finite number"),
        ("version = 0xffffffffffffffffffff", "is too large a number"),
    ],
)
def test_a_mistake_is_said_in_words(text: str, expected: str):
    assert expected in problem(text)


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ('{ type = "Noet" }', "unknown type `Noet` - did you mean `Note`? Types are Note, Velo"),
        ("{ note = 1 }", "`type` is missing; it is one of Note, VelocityRange"),
        ('{ type = "Note" }', "trigger.note: is missing"),
        ('{ type = "Note", note = 200 }', "trigger.note: must be at most 127"),
        ('{ type = "NoteChord", notes = [1] }', "trigger.notes: must have at least 2 items"),
        ("3", "trigger: must be a table"),
        (
            '{ type = "LongPress", note = 1, min_duration_ms = 1 }',
            "duration_ms: must be at least 50",
        ),
    ],
)
def test_a_wrong_trigger_is_said_in_words(trigger: str, expected: str):
    found = problem(with_trigger(trigger))
    assert found.startswith("line 4: modes[0].mappings[0].trigger")
    assert expected in found


def told(text: str) -> list[str]:
    return [one.format() for one in problems(text)]


def test_a_mistyped_header_comes_first_and_its_contents_are_checked_too():
    text = """[[modes.mappings]]
trigger = { type = "Note", note = 200 }
action = { type = "ModeChange", mode = "Secnd" }
"""
    assert told('[[mode]]\nname = "Second"\n' + text) == [
        "line 1: mode: unknown key `mode` - did you mean `modes`?",
        "line 4: modes[0].mappings[0].trigger.note: must be at most 127",
        "line 5: modes[0].mappings[0].action: Invalid mode: 'Secnd' does not exist"
        " - did you mean `Second`?",
    ]


def test_a_mode_under_a_mistyped_header_is_known_to_those_that_lead_to_it():
    first = with_trigger('{ type = "Note", note = 1 }', '{ type = "ModeChange", mode = "B" }')
    assert told(first + '[[mode]]\nname = "B"\n') == [
        "line 6: mode: unknown key `mode` - did you mean `modes`?"
    ]


def test_shape_and_meaning_are_told_in_one_go():
    text = with_trigger('{ type = "Noet" }', '{ type = "ModeChange", mode = "Nowhere" }')
    found = told(text)
    assert [one.partition(": ")[0] for one in found] == ["line 4", "line 5"]
    assert "did you mean `Note`?" in found[0]
    assert "Invalid mode: 'Nowhere' does not exist" in found[1]


def test_behind_a_value_that_cannot_be_read_the_rest_is_still_checked():
    text = (
        '[[modes]]\nname = Default\n[[modes.mappings]]\ntrigger = { type = "Note", note = 200 }\n'
    )
    found = told(text)
    assert len(found) == 2
    assert found[0].startswith("line 2: ")
    assert found[1] == "line 4: modes[0].mappings[0].trigger.note: must be at most 127"


def test_names_that_lead_to_something_broken_are_not_held_against_the_user():
    text = with_trigger('{ type = "Note", note = 1 }', '{ type = "ModeChange", mode = "B" }')
    assert len(told(f"{text}[[modes]]\nnam = 'B'\n")) == 2  # `nam` is unknown, `name` is missing


def test_note_names_in_a_list_are_told_as_numbers():
    found = problems(with_trigger('{ type = "NoteChord", notes = ["C3", "F#2"] }'))
    assert [one.message.partition(" here")[0] for one in found] == [
        "write the note as its number; C3 is 60",
        "write the note as its number; F#2 is 54",
    ]
    assert all("middle C, 60, is called C3" in one.message for one in found)


def test_a_note_name_where_a_table_could_be_too_is_told_as_a_number_alone():
    action = '{ type = "SendMidi", port = "x", message_type = "NoteOn", note = "Db4" }'
    message = problems(with_trigger('{ type = "Note", note = 1 }', action))[0].message
    assert message == "write the note as its number; Db4 is 73 here (middle C, 60, is called C3)"


def test_what_a_value_may_be_is_said_once_for_all_its_types():
    action = '{ type = "SetVariable", name = "x", value = [1] }'
    found = problems(with_trigger('{ type = "Note", note = 1 }', action))
    assert [one.path for one in found] == ["modes[0].mappings[0].action.value"]
    assert found[0].message.startswith("must be true or false, or a whole number, or")


def test_a_mistake_inside_a_value_hides_that_it_could_be_of_another_type():
    action = '{ type = "SetVariable", name = "x", value = { from = "velocity" } }'
    found = problems(with_trigger('{ type = "Note", note = 1 }', action))
    assert [one.path for one in found] == ["modes[0].mappings[0].action.value.from"]


def test_a_mistake_deep_in_a_sequence_has_its_own_line():
    text = """[[global_mappings]]
trigger = { type = "Note", note = 1 }
action = { type = "Sequence", actions = [
  { type = "Text", text = "a" },
  { type = "Keystroke", keys = ["hyper"] },
] }
"""
    found = problem(text)
    assert found.startswith(
        "line 5: global_mappings[0].action.actions[1].keys: unknown key `hyper`"
    )


def test_a_name_that_leads_nowhere_refuses_the_config():
    action = '{ type = "ModeChange", mode = "Nowhere" }'
    found = problem(with_trigger('{ type = "Note", note = 1 }', action))
    assert found.startswith("line 5: modes[0].mappings[0].action: Invalid mode: 'Nowhere'")


REMOTE_ADDRESS = "[llm.mcp]\nremote_address = '{}'\n"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("https://studio.example:0", "the port 0 does not exist; expected 1 to 65535"),
        ("https://studio.example:70000", "the port 70000 does not exist"),
        ("https://..", ".. is no host name and no IP address; expected one such as"),
        ("https://-studio", "-studio is no host name"),
        ("https://studio_1.local", "studio_1.local is no host name"),
        ("https://192.168.1.300", "192.168.1.300 is no host name and no IP address"),
        ("https://[::zz]", "[::zz] is no host name and no IP address"),
        ("https://[127.0.0.1]", "[127.0.0.1] is no host name"),
        ("http://studio.example", "expected https:// and a name, perhaps with a port"),
        ("https://studio.example/mcp", "expected https:// and a name, perhaps with a port"),
        ("https://user@studio.example", "expected https:// and a name, perhaps with a port"),
    ],
)
def test_an_address_at_which_no_agent_can_be_served_is_refused(address: str, words: str):
    [found] = problems(REMOTE_ADDRESS.format(address))
    assert found.line == 2
    assert words in found.message


@pytest.mark.parametrize(
    "address",
    ["https://Studio.local:8767", "https://10.0.0.5", "https://[2001:db8::1]:443", "https://s", ""],
)
def test_an_address_for_agents_is_a_host_name_or_an_ip_address(address: str):
    text = REMOTE_ADDRESS.format(address)
    assert parse_config(text).llm.mcp.remote_address == address.lower()


def test_a_warning_does_not_refuse_the_config():
    _, report = load_config(with_trigger('{ type = "Note", note = 1, device = "nobody" }'))
    assert [warning.path for warning in report.warnings] == ["modes[0].mappings[0].trigger.device"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a\n", 1, "column 2: a key needs `=` and a value after it"),
        ("\na = \n", 2, "this value cannot be read; texts need quotes"),
        ('\n\na = "x\n', 3, "a quote is not closed"),
        ("[x", 1, "a table name is not closed with `]`"),
        ("[x]\n[x]\n", 2, "this table is already defined further up"),
        ("version = 1\nversion = 1\n", 2, "this key is already set further up"),
        ("a = 1 b", 1, "there is extra text after the value"),
        ("a = [1, 2\n", 1, "not closed"),
        ("a = '\x00'", 1, "an invisible control character"),
        ('a = "C:\\dir"', 1, "a backslash in"),
        ("x = " + "9" * 5000, 1, "a number has too many digits"),
        ("x = " + "[" * 9000, None, "too deep"),
    ],
)
def test_a_text_that_is_not_toml_says_where_and_what(text: str, line: int | None, words: str):
    (only,) = problems(text)
    assert words in only.message
    assert line is None or only.line in (line, line + 1)


def test_a_file_that_is_too_large_says_so():
    with pytest.raises(ConfigError, match=r"10\.0 MB; the limit is 5 MB"):
        parse_config("#" * 10_000_000)
    with pytest.raises(ConfigError, match="the limit is 5 MB"):
        decode_config_bytes(b"#" * (MAX_CONFIG_BYTES + 1))


def test_bytes_that_are_not_utf_8_are_named_with_their_line():
    with pytest.raises(ConfigError, match="line 2: the file is not UTF-8"):
        decode_config_bytes(b"a = 1\n\xff\xfe")


def test_a_byte_order_mark_is_no_mistake():
    assert parse_config(decode_config_bytes(b"\xef\xbb\xbfversion = 1")).version == 1


def test_a_lone_surrogate_is_no_crash():
    assert "half a character" in problem("# \ud800")


def test_problems_carry_no_dumps_and_no_addresses():
    text = with_trigger('{ type = "Note", note = "secret-value" }')
    assert "secret-value" not in problem(text)
    assert "http" not in problem(text)


def mutated(text: str, chance: random.Random) -> str:
    """Corrupt a text as people, editors and disks do."""
    lines = text.splitlines(keepends=True)
    at = chance.randrange(len(text))
    row = chance.randrange(len(lines))
    match chance.randrange(9):
        case 0:
            return text[:at] + text[at + 1 :]
        case 1:
            return text[:at] + chance.choice("\"'[]{}=,.#\\\n\x00é") + text[at:]
        case 2:
            return text[:at]
        case 3:
            return "".join(lines[:row] + lines[row + 1 :])
        case 4:
            return "".join([*lines[: row + 1], *lines[row:]])
        case 5:
            other = chance.randrange(len(lines))
            lines[row], lines[other] = lines[other], lines[row]
            return "".join(lines)
        case 6:
            key = lines[row].split("=")[0]
            lines[row] = f"{key}= {chance.choice(ODD_VALUES)}\n"
            return "".join(lines)
        case 7:
            words = lines[row].replace("]", " ] ").replace(",", " , ").split(" ")
            words[chance.randrange(len(words))] = chance.choice(ODD_VALUES)
            lines[row] = " ".join(words)
            return "".join(lines)
        case _:
            return text[:at] + text[at : at + 40] * 3 + text[at + 40 :]


@proves
def test_hundreds_of_broken_texts_are_read_or_refused_and_nothing_else():
    chance = random.Random(1)
    refused: list[ConfigError] = []
    for _ in range(MUTATIONS):
        text = chance.choice([*EXAMPLES, TEXT])
        for _ in range(chance.randint(1, 3)):
            text = mutated(text, chance) or "x"
        try:
            load_config(text)
        except ConfigError as error:
            refused.append(error)
    assert len(refused) > MUTATIONS // 2
    assert all(error.problems for error in refused)
    messages = [one.message for error in refused for one in error.problems]
    assert not [message for message in messages if "Input should be" in message]


def test_what_was_read_before_changes_nothing_in_how_a_text_is_read():
    texts = [render_config(config) for config in (parse_config(TEXT), Config())]
    texts += [VARIABLE.format(value) for value in ("1", "1.0", "true", '"1"', "1")]
    alone = [
        to_comparison_text(convert_config_to_tables(Config.model_validate(read_raw_tables(text))))
        for text in texts
    ]
    assert [
        to_comparison_text(convert_config_to_tables(parse_config(text))) for text in texts
    ] == alone
    assert [
        to_comparison_text(convert_config_to_tables(parse_config(text))) for text in reversed(texts)
    ] == alone[::-1]


def test_a_mapping_that_was_read_before_is_the_same_one_and_a_second_like_it_is_not():
    text = VARIABLE.format(1) + VARIABLE.format(1).replace('[[modes]]\nname = "Default"\n', "")
    first, second = parse_config(text).modes[0].mappings
    again, other = parse_config(text).modes[0].mappings
    assert first is again
    assert first is not second
    assert other is not again

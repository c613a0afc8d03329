"""Edits of a config's text: they have the intended result, and keep everything else."""

import difflib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from tests.config.examples import TEXT, configs
from tests.support.prove import proves, scaled

from conductor.config.difference import has_same_text, to_comparison_text
from conductor.config.document import edit_document
from conductor.config.parse import parse_config
from conductor.config.render import convert_config_to_tables, render_config
from conductor.config.starter import STARTER_CONFIG
from conductor.domain.change_kinds import Change, CreateMode
from conductor.domain.changes import apply_change
from conductor.domain.config import Config

EXAMPLES = sorted((Path(__file__).parents[1] / "data" / "configs").rglob("*.toml"))
ROW = {"trigger": {"type": "Note", "note": 1}, "action": {"type": "Text", "text": "hi"}}
ROW_TEXT = """\
[[modes.mappings]]
trigger = { type = "Note", note = 1 }
action = { type = "Text", text = "hi" }
"""
change_adapter: TypeAdapter[Change] = TypeAdapter(Change)


def same(one: Config, other: Config) -> bool:
    return to_comparison_text(convert_config_to_tables(one)) == to_comparison_text(
        convert_config_to_tables(other)
    )


def changed(text: str, *changes: Mapping[str, object]) -> str:
    old = new = parse_config(text)
    for change in changes:
        new = apply_change(new, change_adapter.validate_python(change))
    result = edit_document(text, old, new)
    assert same(parse_config(result), new)
    return result


def moves(before: str, after: str) -> list[str]:
    """Return the removed (-) and added (+) lines."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[0] in "-+" and line[2:].strip()]


@proves
@settings(max_examples=scaled(24), deadline=None)
@given(configs)
def test_a_rendered_config_reads_as_the_same_config(config: Config):
    assert same(parse_config(render_config(config)), config)


@proves
@settings(max_examples=scaled(40), deadline=None)
@given(configs, configs)
def test_any_config_can_be_edited_into_any_other_below_the_comment_at_its_head(
    old: Config, new: Config
):
    """Require what holds for any two configs at once, since drawing them takes longer than each check."""
    edited = edit_document("# at the head\n\n" + render_config(old), old, new)
    assert edited.startswith("# at the head\n")
    assert same(parse_config(edited), new)
    assert same(parse_config(edit_document(render_config(old), old, new)), new)
    require_same_tree_with_shared_rows(old, new)


def require_same_tree_with_shared_rows(old: Config, new: Config) -> None:
    """Require that a tree that shares rows with an earlier one is the same as one made by itself."""
    mixed = new.model_copy(
        update={"modes": (*old.modes, *new.modes), "global_mappings": old.global_mappings}
    )
    rows: dict[int, dict[str, object]] = {}
    convert_config_to_tables(old, rows)
    assert to_comparison_text(convert_config_to_tables(mixed, rows)) == to_comparison_text(
        convert_config_to_tables(mixed)
    )


PLAIN = st.recursive(
    st.sampled_from([0, 1, 0.0, 1.0, -0.0, True, False, None, "", "1", "true"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


@proves
@settings(max_examples=scaled(120), deadline=None)
@given(PLAIN, PLAIN)
def test_trees_spell_the_same_when_their_texts_are_equal(one: object, other: object):
    assert has_same_text(one, other) == (to_comparison_text(one) == to_comparison_text(other))
    assert has_same_text({"a": one, "b": [one, other]}, {"b": [one, other], "a": one})


@proves
@settings(max_examples=scaled(16), deadline=None)
@given(configs)
def test_a_text_by_hand_can_be_edited_into_any_config(new: Config):
    result = edit_document(TEXT, parse_config(TEXT), new)
    assert same(parse_config(result), new)
    assert result.startswith("# my own set-up\n")


@settings(max_examples=20, deadline=None)
@given(configs, configs)
def test_an_edit_leaves_nothing_behind_for_the_next_edit_of_the_same_text(one: Config, new: Config):
    old = parse_config(TEXT)
    first = edit_document(TEXT, old, one)
    edit_document(TEXT, old, new)
    assert edit_document(TEXT, old, one) == first


@proves
@settings(max_examples=scaled(24), deadline=None)
@given(configs, st.data())
def test_deleting_a_mapping_takes_its_own_lines_only(config: Config, data: st.DataObject):
    owned = [mode for mode in config.modes if mode.mappings]
    if not owned:
        return
    mode = data.draw(st.sampled_from(owned))
    index = data.draw(st.integers(0, len(mode.mappings) - 1))
    text = render_config(config)
    change = {"change_type": "DeleteMapping", "mode": mode.name, "index": index}
    gone = moves(text, changed(text, change))
    assert all(line.startswith("-") for line in gone)
    assert sum(line == "- [[modes.mappings]]" for line in gone) == 1


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_adding_a_mapping_to_an_example_adds_its_lines_only(file: Path):
    text = file.read_text()
    mode = parse_config(text).modes[0].name
    result = changed(text, {"change_type": "CreateMapping", "mode": mode, "mapping": ROW})
    assert [line for line in moves(text, result) if line.startswith("-")] == []
    assert ROW_TEXT in result


def test_an_edit_that_changes_nothing_gives_the_same_text():
    config = parse_config(TEXT)
    assert edit_document(TEXT, config, config) == TEXT


def test_a_new_mapping_goes_after_the_last_and_before_the_comment_of_what_follows():
    result = changed(TEXT, {"change_type": "CreateMapping", "mode": "Default", "mapping": ROW})
    heading = "# ====== the second mode ======"
    assert result == TEXT.replace(heading, f"{ROW_TEXT}\n{heading}")


def test_a_new_mapping_can_go_first():
    change = {"change_type": "CreateMapping", "mode": "Default", "index": 0, "mapping": ROW}
    assert changed(TEXT, change) == TEXT.replace("# copies", f"{ROW_TEXT}\n# copies")


def test_a_deleted_mapping_takes_the_comment_above_it_along():
    result = changed(TEXT, {"change_type": "DeleteMapping", "mode": "Default", "index": 0})
    start, end = TEXT.index("# copies"), TEXT.index("# pastes")
    assert result == TEXT[:start] + TEXT[end:]


def test_a_moved_mapping_takes_its_comments_along():
    result = changed(TEXT, {"change_type": "MoveMapping", "mode": "Default", "index": 0})
    start, end, after = (TEXT.index(f"# {word}") for word in ("copies", "pastes", "====== the"))
    assert result == TEXT[:start] + TEXT[end:after] + TEXT[start:end] + TEXT[after:]


def test_a_changed_note_changes_one_number_and_no_comment():
    trigger = {"type": "Note", "note": 40, "device": "pads"}
    change = {"change_type": "UpdateMapping", "mode": "Default", "index": 0, "trigger": trigger}
    assert changed(TEXT, change) == TEXT.replace("note = 36", "note = 40")


def test_a_changed_field_of_a_trigger_in_a_table_of_its_own_stays_there():
    trigger = {"type": "LongPress", "note": 38, "duration_ms": 700}
    change = {"change_type": "UpdateMapping", "mode": "Default", "index": 1, "trigger": trigger}
    assert changed(TEXT, change) == TEXT.replace("note = 37", "note = 38")


def test_a_field_with_an_older_spelling_is_rewritten():
    trigger = {"type": "LongPress", "note": 37, "duration_ms": 900}
    change = {"change_type": "UpdateMapping", "mode": "Default", "index": 1, "trigger": trigger}
    result = changed(TEXT, change)
    assert "min_duration_ms" not in result
    assert "# vee" in result


def test_a_new_field_of_an_inline_trigger_is_spaced_like_the_others():
    trigger = {"type": "Note", "note": 36, "device": "pads", "velocity_min": 9}
    change = {"change_type": "UpdateMapping", "mode": "Default", "index": 0, "trigger": trigger}
    line = 'trigger = { type = "NoteOn", note = 36, device = "pads", velocity_min = 9 } # pad 1'
    assert line in changed(TEXT, change)


def test_a_renamed_mode_changes_its_name_and_what_refers_to_it():
    row = {**ROW, "action": {"type": "ModeChange", "mode": "Second"}}
    text = changed(TEXT, {"change_type": "CreateMapping", "mode": "Default", "mapping": row})
    result = changed(text, {"change_type": "UpdateMode", "name": "Second", "new_name": "Third"})
    assert result == text.replace('"Second"', '"Third"')


def test_a_deleted_mode_leaves_the_other_as_it_is():
    result = changed(TEXT, {"change_type": "DeleteMode", "name": "Second"})
    assert result == TEXT.replace('[[modes]]\nname = "Second"\n\n', "")


def test_settings_go_into_the_table_that_is_there_and_others_get_one():
    wanted = {"engine": {"osc_port": 9}, "llm": {"providers": {"own": {}}}}
    result = changed(TEXT, {"change_type": "UpdateSettings", "settings": wanted})
    assert result == TEXT + "osc_port = 9\n\n[llm.providers.own]\n"


def test_a_setting_put_back_to_its_default_loses_its_line():
    change = {"change_type": "UpdateSettings", "settings": {"engine": {"allow_shell": None}}}
    assert changed(TEXT, change) == TEXT.replace("allow_shell = true # I know\n", "")


def test_the_older_name_of_devices_is_kept():
    text = TEXT.replace("[[devices]]", "[[bindings]]")
    device = {"alias": "knobs", "matchers": [{"type": "ExactName", "pattern": "K"}]}
    result = changed(text, {"change_type": "CreateDevice", "device": device})
    assert result.count("[[bindings]]") == 2
    assert "[[devices]]" not in result


def test_the_first_mapping_of_an_empty_file_is_written_with_its_mode():
    result = changed("", {"change_type": "CreateMapping", "mode": "Default", "mapping": ROW})
    assert result == f'[[modes]]\nname = "Default"\n\n{ROW_TEXT}'


def test_line_ends_of_windows_are_kept():
    text = TEXT.replace("\n", "\r\n")
    result = changed(text, {"change_type": "CreateMapping", "mode": "Default", "mapping": ROW})
    assert result.count("\n") == result.count("\r\n") == TEXT.count("\n") + 4


def test_mappings_in_one_inline_list_can_be_changed_in_it():
    text = """\
[[modes]]
name = "Default" # main
mappings = [ # all
  { trigger = { type = "Note", note = 1 }, action = { type = "Text", text = "a" } }, # one
  { trigger = { type = "Note", note = 2 }, action = { type = "Text", text = "b" } }, # two
]
"""
    action = {"type": "Text", "text": "c"}
    change = {"change_type": "UpdateMapping", "mode": "Default", "index": 1, "action": action}
    assert changed(text, change) == text.replace('"b"', '"c"')
    more = changed(text, {"change_type": "CreateMapping", "mode": "Default", "mapping": ROW})
    assert "# main" in more


def test_a_long_sequence_is_broken_into_lines():
    steps = [
        {"type": "Text", "text": f"a rather long line of text {number}"} for number in range(5)
    ]
    row = {**ROW, "action": {"type": "Sequence", "actions": steps}}
    result = changed(TEXT, {"change_type": "CreateMapping", "mode": "Second", "mapping": row})
    assert max(len(line) for line in result.splitlines()) <= 100


def test_one_edit_in_a_thousand_mappings_reads_few_of_them():
    rows = "\n".join(ROW_TEXT.replace("note = 1", f"note = {n % 128}") for n in range(1000))
    text = f'[[modes]]\nname = "Default"\n\n{rows}'
    action = {"type": "Text", "text": "changed"}
    change = {"change_type": "UpdateMapping", "mode": "Default", "index": 500, "action": action}
    assert moves(text, changed(text, change)) == [
        '- action = { type = "Text", text = "hi" }',
        '+ action = { type = "Text", text = "changed" }',
    ]


@pytest.mark.parametrize("gap", ["", "\n"])
def test_the_comment_that_begins_the_file_stays_first_when_tables_come_before_its_table(gap: str):
    text = f"# My pads\n# in the studio\n{gap}[settings.engine]\nosc_port = 9000\n"
    old = parse_config(text)
    changed = edit_document(text, old, apply_change(old, CreateMode(name="Two")))
    assert changed.startswith('# My pads\n# in the studio\n\n[[modes]]\nname = "Default"\n')
    assert changed.endswith("\n\n[settings.engine]\nosc_port = 9000\n")


DARK = {"change_type": "UpdateSettings", "settings": {"ui": {"theme": "dark"}}}
LIVE = {"change_type": "CreateMode", "name": "Live"}
MAPPED = {"change_type": "CreateMapping", "mode": "Default", "mapping": ROW}


@pytest.mark.parametrize(
    "changes", [[DARK], [LIVE], [DARK, LIVE], [LIVE, MAPPED, DARK], [MAPPED, DARK, LIVE]]
)
def test_the_commented_example_stays_a_mapping_of_the_mode_that_it_was_written_for(
    changes: list[Mapping[str, object]],
):
    text = STARTER_CONFIG
    for change in changes:
        text = changed(text, change)
    start = text.index("# [[modes.mappings]]")
    used = text[:start] + text[start:].replace("# ", "", 4)
    default = parse_config(used).modes[0]
    assert [row.description for row in default.mappings][-1] == "copy"
    assert text.count("# This is a mapping of this mode") == 1


def test_a_comment_at_the_end_stays_with_its_table_and_a_heading_with_the_next():
    text = TEXT + "\n# osc_port = 9000\n"
    result = changed(text, {"change_type": "UpdateSettings", "settings": {"ui": {"theme": "dark"}}})
    assert result == text + '\n[settings.ui]\ntheme = "dark"\n'
    heading = "# ====== the second mode ======"
    third = {"change_type": "CreateMode", "name": "Third", "index": 1}
    assert changed(TEXT, third).index("Third") < changed(TEXT, third).index(heading)

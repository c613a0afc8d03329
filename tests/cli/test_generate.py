"""`conductor generate`: the schema and the reference, complete, working and up to date."""

import argparse
import json
import re
import tomllib
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from conductor import errors
from conductor.cli import generate, reference, reference_examples
from conductor.cli.reference import map_classes_by_tag, render_pages
from conductor.domain.actions import ACTION_KINDS, walk_actions
from conductor.domain.conditions import Condition
from conductor.domain.config import Config
from conductor.domain.curves import AnyCurve
from conductor.domain.devices import Matcher
from conductor.domain.events import EventKind
from conductor.domain.triggers import TRIGGER_KINDS
from conductor.domain.validate import check_config

SCHEMA: dict[str, Any] = json.loads(generate.render_schema())
SETS = {
    "triggers": (TRIGGER_KINDS, reference_examples.TRIGGER_EXAMPLES),
    "actions": (ACTION_KINDS, reference_examples.ACTION_EXAMPLES),
    "conditions": (map_classes_by_tag(Condition), reference_examples.CONDITION_EXAMPLES),
    "curves": (map_classes_by_tag(AnyCurve), reference_examples.CURVE_EXAMPLES),
    "matchers": (map_classes_by_tag(Matcher), reference_examples.MATCHER_EXAMPLES),
}
EXAMPLES = [
    pytest.param(page, kind, toml, id=f"{page}-{kind}")
    for page, (_, examples) in SETS.items()
    for kind, toml in examples.items()
]


@pytest.fixture(scope="module", autouse=True)
def _pages_rendered_once() -> Generator[None]:
    """Render the types and forms of the page once, since each time takes half a second and gives the same."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("render_types", "render_form_schemas"):
            patch.setattr(generate, name, cache(getattr(generate, name)))
        yield


def unions(schema: Any) -> list[dict[str, Any]]:
    """Return every place of a schema where one of several tables is allowed."""
    if isinstance(schema, list):
        return [union for item in schema for union in unions(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if "oneOf" in schema else []
    return own + [union for item in schema.values() for union in unions(item)]


def test_the_schema_is_sound_and_says_what_it_is():
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"].endswith("2020-12/schema")
    assert SCHEMA["$id"] == "urn:conductor:config:1"
    assert SCHEMA["title"]
    assert SCHEMA["description"]


def test_the_schema_is_the_same_every_time():
    assert generate.render_schema() == generate.render_schema()


def test_every_union_in_the_schema_is_told_apart_by_a_tag_that_is_required():
    found = unions(SCHEMA)
    assert len(found) >= len(SETS)
    for union in found:
        assert union["discriminator"]["propertyName"] == "type"
        for option in union["oneOf"]:
            table = SCHEMA["$defs"][option["$ref"].removeprefix("#/$defs/")]
            assert "type" in table["required"]


def test_every_field_in_the_schema_says_what_it_means():
    silent = [
        f"{name}.{field}"
        for name, table in SCHEMA["$defs"].items()
        for field, spec in table.get("properties", {}).items()
        if field != "type" and not spec.get("description") and "$ref" not in spec
    ]
    assert silent == []


@pytest.mark.parametrize("page", SETS)
def test_every_kind_has_a_section_a_sentence_and_an_example(page: str):
    kinds, examples = SETS[page]
    text = render_pages()[page]
    for name, kind in kinds.items():
        assert f"\n## {name}\n\n{reference.read_docstring(kind)}\n" in text
        assert examples[name].strip() in text


@pytest.mark.parametrize(("page", "kind", "toml"), EXAMPLES)
def test_every_example_works_without_errors_or_warnings(page: str, kind: str, toml: str):
    report = check_config(Config.model_validate(tomllib.loads(toml)))
    assert [problem.format() for problem in (*report.errors, *report.warnings)] == []


@pytest.mark.parametrize(
    "toml", [reference_examples.CONFIG_EXAMPLE, reference_examples.SETTINGS_EXAMPLE]
)
def test_the_long_examples_work_too(toml: str):
    assert check_config(Config.model_validate(tomllib.loads(toml))).valid


def test_an_example_shows_the_kind_of_its_section():
    for kind, toml in reference_examples.TRIGGER_EXAMPLES.items():
        if kind in TRIGGER_KINDS:
            config = Config.model_validate(tomllib.loads(toml))
            assert {row.trigger.type for _, _, row in config.list_all_mappings()} == {kind}
    for kind, toml in reference_examples.ACTION_EXAMPLES.items():
        [(_, _, row)] = Config.model_validate(tomllib.loads(toml)).list_all_mappings()
        assert kind in {part.type for part in walk_actions(row.action)}


def test_every_field_is_in_a_table():
    text = render_pages()
    for page, (kinds, _) in SETS.items():
        for kind in kinds.values():
            for name, field in kind.model_fields.items():
                assert name == "type" or f"| `{field.alias or name}` |" in text[page]


def test_every_kind_of_event_and_every_error_is_listed():
    text = render_pages()
    listed = re.findall(r"\w+", text["events"])
    assert [kind for kind in get_args(EventKind) if kind not in listed] == []
    codes = {
        each.code
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.ConductorError)
    }
    rows = dict(re.findall(r"^\| `(\w+)` \| \w+ \| (.*) \|$", text["errors"], re.MULTILINE))
    assert set(rows) == codes - {errors.ConductorError.code}
    assert all(rows.values())


def test_links_between_pages_lead_somewhere():
    text = render_pages()
    for page in text.values():
        for name, anchor in re.findall(r"\]\((\w+)\.md(?:#([\w-]+))?\)", page):
            headings = re.findall(r"^#+ (.*)$", text[name], re.MULTILINE)
            anchors = [re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in headings]
            assert not anchor or anchor in anchors, f"{name}.md#{anchor}"


def test_writing_mends_what_is_stale_and_then_nothing_is(tmp_path: Path):
    everything = generate.write_files(tmp_path)
    assert set(everything) == set(generate.render_files(tmp_path))
    assert generate.find_stale_files(tmp_path) == []
    touched = tmp_path / "docs" / "reference" / "triggers.md"
    touched.write_text(touched.read_text() + "by hand\n")
    left_over = touched.with_name("gone.md")
    left_over.write_text("no longer generated\n")
    assert generate.find_stale_files(tmp_path) == [touched, left_over]
    assert generate.write_files(tmp_path) == [touched, left_over]
    assert generate.find_stale_files(tmp_path) == []
    assert not left_over.exists()


def test_a_checkout_is_found_from_the_code():
    root = generate.find_checkout()
    assert root is not None
    assert (root / "pyproject.toml").is_file()


def checked(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = generate.run(argparse.Namespace(check=True))
    return code, capsys.readouterr().out


def test_check_writes_nothing_and_names_what_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(generate, "find_checkout", lambda: tmp_path)
    code, said = checked(capsys)
    assert code == 1
    assert "stale docs/reference/triggers.md" in said
    assert list(tmp_path.iterdir()) == []
    generate.write_files(tmp_path)
    assert checked(capsys) == (0, "")


def test_outside_a_checkout_it_says_where_it_works(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(generate, "find_checkout", lambda: None)
    with pytest.raises(errors.NotAvailable, match="source checkout"):
        generate.run(argparse.Namespace(check=True))

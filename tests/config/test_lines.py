"""The scanner of TOML texts finds every key on its line."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.config.examples import TEXT, configs
from tests.support.prove import proves, scaled

from conductor.config.lines import KeyPositions
from conductor.config.render import render_config
from conductor.domain.config import Config

EXAMPLES = sorted((Path(__file__).parents[1] / "data" / "configs").rglob("*.toml"))


def paths(item: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    if isinstance(item, dict):
        for key, value in item.items():
            yield from paths(value, (*path, key))
    elif isinstance(item, list):
        for index, value in enumerate(item):
            yield from paths(value, (*path, index))


def implied(path: tuple[str | int, ...], places: KeyPositions) -> bool:
    """Return whether a table exists only as a part of a longer header's name."""
    return any(header.path[: len(path)] == path for header in places.headers)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_key_of_an_example_is_found(file: Path):
    text = file.read_text()
    places = KeyPositions(text)
    lines = text.splitlines()
    for path in paths(tomllib.loads(text)):
        if path not in places.offsets:
            assert implied(path, places)
        elif isinstance(path[-1], str):
            line = places.find_line_number(path)
            assert line is not None
            assert path[-1] in lines[line - 1]


@proves
@settings(max_examples=scaled(80), deadline=None)
@given(configs)
def test_every_key_of_a_random_config_is_found(config: Config):
    text = render_config(config)
    places = KeyPositions(text)
    for path in paths(tomllib.loads(text)):
        assert path in places.offsets or implied(path, places)


@proves
@settings(max_examples=scaled(80), deadline=None)
@given(st.dictionaries(st.text(max_size=5), st.integers(), max_size=5))
def test_quoted_keys_are_read_like_tomllib_reads_them(table: dict[str, int]):
    import tomlkit

    text = tomlkit.dumps(table)
    assert set(KeyPositions(text).offsets) == {(key,) for key in tomllib.loads(text)}


def line_of(text: str, *path: str | int) -> int | None:
    return KeyPositions(text).find_line_number(path)


@pytest.mark.parametrize(
    ("path", "word"),
    [
        (("devices", 0, "matchers", 0, "pattern"), "Mikro"),
        (("modes", 0, "color"), "blue"),
        (("modes", 0, "mappings", 0, "trigger", "note"), "36"),
        (("modes", 0, "mappings", 1, "trigger", "min_duration_ms"), "700"),
        (("modes", 1, "name"), "Second"),
        (("settings", "engine", "allow_shell"), "I know"),
    ],
)
def test_a_path_leads_to_its_line(path: tuple[str | int, ...], word: str):
    line = line_of(TEXT, *path)
    assert line is not None
    assert word in TEXT.splitlines()[line - 1]


def test_a_path_that_is_not_there_leads_to_the_table_around_it():
    assert line_of(TEXT, "modes", 0, "mappings", 1, "trigger", "nothing") == line_of(
        TEXT, "modes", 0, "mappings", 1, "trigger"
    )


def test_strings_of_every_kind_are_stepped_over():
    text = '''a = """x
] = "" \\""""" # c
b = \'\'\'
[not.a.table]
\'\'\'
c = "\\"]#"
d = '"#'
e = [ # list
  """
""", { f = "}" }, # inline
]
g.h . "i j" = 1
'''
    found = {path: KeyPositions(text).find_line_number(path) for path in paths(tomllib.loads(text))}
    assert found[("b",)] == 3
    assert found[("e", 1, "f")] == 10
    assert found[("g", "h", "i j")] == 12
    assert found[("c",)] == 6


LINES = (
    "a = 1 # one ]\n", "k . l = 'x]}#' \n", '"q]" = { a = "x}#", b = [1, "2"], c = { d = 1 } } # c\n',
    "m = [ 'a', \"b\\\"c\", { x = 1 } ]\n", 't = """\n[[no]]\n"""\n', "d = 1979-05-27T07:32:00Z # x\n",
    "n = [\n 1, # one ]\n 2,\n]\n", "o = {a={b={c={d=1}}}}\n", "p = [[1,2],[3]]\n", "u = [{a=[{b=1}]}]\n",
    'r = { a = """ " } """ }\n', "s = { a = ''' ' } ''', b = 1 }\n", 'e = [ "", "" ]\n', "[w]\n", "[[x]]\n",
    "[[x.y]]\n", "[ x . z ]\n", '[["v w"]]\n',
)  # fmt: skip


@proves
@settings(max_examples=scaled(120), deadline=None)
@given(st.lists(st.sampled_from(LINES), unique=True, max_size=9).map("".join))
def test_tables_are_found_alike_when_the_values_of_rows_are_stepped_over(text: str):
    try:
        tomllib.loads(text)
    except ValueError:
        return
    whole, brief = KeyPositions(text), KeyPositions(text, within_rows=False)
    assert (brief.headers, brief.ends) == (whole.headers, whole.ends)
    left_out = whole.offsets.items() - brief.offsets.items()
    assert brief.offsets.items() <= whole.offsets.items()
    assert all(any(isinstance(step, int) for step in path) for path, _ in left_out)

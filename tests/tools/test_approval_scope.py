"""The shape of arguments: `always` covers what its words say, and nothing that a user would not expect."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conductor.base.invisible_chars import has_hidden
from conductor.tools.approval.scope import build_scope, is_covered_by_scope
from conductor.tools.approval.scope_texts import (
    MAX_PLAIN_TEXT_LENGTH,
    FileSystem,
    is_plain_text,
)
from conductor.tools.approval.scope_words import describe_scope, is_short_enough_to_describe


def _is_no_folder(_path: str) -> bool:
    return False


FLAT = FileSystem(resolve_path=os.path.normpath, is_folder=_is_no_folder)
"""A disk without links and folders, so that nothing of this machine matters."""
names = st.sampled_from(["query", "command", "path", "count", "user_id", "options", "url", "x"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=30)
    | st.sampled_from(
        [
            "https://example.org/a",
            "https://example.org.evil.net/a",
            "http://example.org/a",
            "/home/u/notes/a.txt",
            "/home/u/notes/../.ssh/id",
            "/home/u/notes/b.txt",
            "/home/u/notes/sub/c.txt",
            "/home/u/notes/.hidden",
            "https://example.org/b?c=d",
            "rm -rf /",
            "cats and dogs",
            "SELECT 1",
        ]
    )
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
calls = st.dictionaries(names, values, max_size=4)


def leaves(item: Any, place: str = "") -> list[tuple[str, Any]]:
    """Return everything inside with its place; the items of a list have one place."""
    if isinstance(item, dict):
        return [leaf for key in sorted(item) for leaf in leaves(item[key], f"{place}.{key}")]
    if isinstance(item, list):
        return [leaf for one in item for leaf in leaves(one, f"{place}[]")]
    return [(place, item)]


@given(calls)
def test_a_shape_covers_the_call_that_it_was_made_of(call: dict[str, Any]):
    has_nan = "NaN" in json.dumps(call) or "Infinity" in json.dumps(call)
    assert is_covered_by_scope(build_scope(call, disk=FLAT), call, FLAT) or has_nan


@given(calls)
def test_a_shape_survives_being_kept_and_can_be_said(call: dict[str, Any]):
    assume("NaN" not in json.dumps(call))
    shape = build_scope(call, disk=FLAT)
    kept = json.loads(json.dumps(shape))
    assert is_covered_by_scope(kept, call, FLAT)
    assert not has_hidden(describe_scope(shape), keep="")


@st.composite
def changed(draw: st.DrawFn, item: Any) -> Any:
    """Return what a caller might slip in instead: mostly the same, here and there something else."""
    match draw(st.sampled_from(["keep", "keep", "inside", "inside", "inside", "other"])):
        case "keep":
            return item
        case "inside" if isinstance(item, dict):
            fields = {key: draw(changed(each)) for key, each in item.items()}
            more = draw(st.sampled_from([{}, {}, {"x": 1}]))
            gone = draw(st.sampled_from([None, None, *fields]))
            return {key: each for key, each in (fields | more).items() if key != gone}
        case "inside" if isinstance(item, list):
            return [draw(changed(each)) for each in item * draw(st.integers(0, 2))]
        case _:
            return draw(scalars)


@settings(max_examples=300)
@given(st.data(), calls)
def test_only_numbers_plain_words_addresses_of_the_host_and_files_beside_it_may_differ(
    data: st.DataObject, call: dict[str, Any]
):
    other = data.draw(changed(call))
    if not is_covered_by_scope(build_scope(call, disk=FLAT), other, FLAT):
        return
    ours = leaves(call)
    for place, item in leaves(other):
        there = [one for at, one in ours if at == place]
        assert any(expected(place, one, item) for one in there), (place, item)
    assert count(other) <= count(call)


def expected(place: str, shown: Any, given: Any) -> bool:
    """Return whether a user who has allowed what was shown expects this instead."""
    key = place.rpartition(".")[2].removesuffix("[]")
    if isinstance(shown, str) and isinstance(given, str) and shown != given:
        beside = shown.startswith("/home/u/notes/") and given.startswith("/home/u/notes/")
        words = key == "query" and is_plain_text(shown) and is_plain_text(given)
        host = "https://example.org/"
        at_host = shown.startswith(host) and given.startswith(host)
        return at_host or words or (beside and "/" not in given.removeprefix("/home/u/notes/"))
    if isinstance(shown, bool) or shown is None or isinstance(shown, str):
        return type(shown) is type(given) and shown == given
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return is_number and (key != "user_id" or shown == given)


def count(item: Any) -> int:
    return len(leaves(item))


@pytest.mark.parametrize(
    ("allowed", "also", "never"),
    [
        ({"command": "npm test"}, [], ["npm test && rm -rf ~", "npm  test", "npm"]),
        ({"args": ["status"]}, [], [["push", "--force"], ["status", "status"], []]),
        ({"query": "cats"}, ["dogs in hats", "what's new?"], ["x" * 201, "a\nb", "-rf", "$(id)"]),
        ({"query": "select 1"}, [], ["select 2", "drop table users"]),
        ({"query": "cats"}, [], ["DELETE FROM users", "drop table users", "a; b", "'a' OR 1", "a\u202eb"]),
        ({"sql_query": "cats"}, [], ["dogs"]),
        ({"to": "alice"}, [], ["bob"]),
        ({"count": 3}, [4, -1], [3.5, True, "4", 10**40]),
        ({"ratio": 0.5}, [1, 2.5], [float("nan"), float("inf"), True, "1"]),
        ({"user_id": 3}, [], [4]),
        ({"amount": 3}, [], [3000]),
        ({"dry_run": True}, [], [False, 1, None]),
        ({"limit": None}, [], [1, "", False]),
        ({"deep": {"dry_run": True}}, [], [{}, {"dry_run": True, "x": 1}, {"dry_run": False}]),
        ({"ids": []}, [], [[1]]),
        ({"numbers": [1, 2]}, [[3], [4, 5]], [[], [1, 2, 3], [1, "a"]]),
        ({"files": [{"title": "a"}]}, [[{"title": "b"}]], [[{"title": "b", "force": True}]]),
        ({"url": "file:///home/u/a"}, [], ["file:///home/u/b"]),
        ({"url": "https://u:p@example.org/"}, [], ["https://u:p@example.org/x", "https://example.org/"]),
        ({"url": "https://example.org:443/a"}, ["https://EXAMPLE.org/b?c=d#e"], ["https://example.org:444/a"]),
        ({"token": "abcdefgh"}, [], ["abcdefgi"]),
        ({"content": "x" * 500}, [], ["x" * 499, "y"]),
    ],
)  # fmt: skip
def test_what_else_is_covered(allowed: dict[str, Any], also: list[Any], never: list[Any]):
    (key,) = allowed
    shape = build_scope(allowed, disk=FLAT)
    for item in (allowed[key], *also):
        assert is_covered_by_scope(shape, {key: item}, FLAT), item
    for item in never:
        assert not is_covered_by_scope(shape, {key: item}, FLAT), item


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/a",
        "https://example.org.evil.net/",
        "https://example.org@evil.net/",
        "https://evil.net/?https://example.org/",
        "https://example.org:8443/",
        "https://example.org\\@evil.net/",
        "https://example.org\t/",
        "https://example.org /",
        "https://example.org%2eevil.net/",
        "https://ex\u0430mple.org/",
        "https://example.org./",
        "https://[::1]/",
        "//example.org/",
        "https:/example.org/",
        "https://example.org:0/",
        "https://example.org:99999/",
        f"https://example.org/{'x' * 1000}",
        " https://example.org/",
        "https://example.org/\n",
    ],
)
def test_no_other_address_passes_for_the_host(address: str):
    shape = build_scope({"url": "https://example.org/a"}, disk=FLAT)
    assert not is_covered_by_scope(shape, {"url": address}, FLAT)


def test_an_enum_stays_literal_wherever_its_schema_says_so():
    schema: dict[str, Any] = {
        "properties": {
            "title": {"enum": ["a", "b"]},
            "text": {"$ref": "#/$defs/Kind"},
            "note": {"anyOf": [{"const": "a"}, {"type": "null"}]},
            "level": {"anyOf": [{"enum": [1, 2]}, {"type": "string"}, {"type": "null"}]},
            "topics": {"items": {"enum": ["a", "b"]}},
            "loop": {"$ref": "#/properties/loop"},
        },
        "$defs": {"Kind": {"enum": ["a", "b"]}},
    }
    call = {"title": "a", "text": "a", "note": "a", "level": 1, "topics": ["a"], "loop": 3}
    shape = build_scope(call, schema, FLAT)
    for key, item in (
        ("title", "b"),
        ("text", "b"),
        ("note", "b"),
        ("level", 2),
        ("topics", ["b"]),
    ):
        assert not is_covered_by_scope(shape, {**call, key: item}, FLAT)
    assert is_covered_by_scope(shape, {**call, "loop": 4}, FLAT)


def test_a_file_covers_the_files_beside_it_and_no_other(tmp_path: Path):
    notes, secret = tmp_path / "notes", tmp_path / "secret"
    (notes / "sub").mkdir(parents=True)
    secret.mkdir()
    for path in (notes / "a.txt", notes / "sub" / "d.txt", secret / "key"):
        path.write_text("x")
    (notes / "link.txt").symlink_to(secret / "key")
    (notes / "way").symlink_to(secret)
    shape = build_scope({"path": str(notes / "a.txt")})
    assert describe_scope(shape) == f"path: any file directly in {notes}"

    def reaches(*parts: str) -> bool:
        return is_covered_by_scope(shape, {"path": "/".join((str(notes), *parts))})

    assert reaches("a.txt")
    assert reaches("new.txt")
    for parts in (
        ("link.txt",),
        ("way", "key"),
        ("sub",),
        ("sub", "d.txt"),
        ("..", "secret", "key"),
        ("..", "notes", "a.txt"),
        (".hidden",),
        ("", "a.txt"),
        (".", "a.txt"),
        ("a.txt", ""),
        ("a\0.txt",),
        ("a\n.txt",),
    ):
        assert not reaches(*parts), parts


def test_a_folder_that_becomes_a_link_is_covered_no_longer(tmp_path: Path):
    notes, secret = tmp_path / "notes", tmp_path / "secret"
    notes.mkdir()
    secret.mkdir()
    shape = build_scope({"path": str(notes / "a.txt")})
    assert is_covered_by_scope(shape, {"path": str(notes / "b.txt")})
    notes.rmdir()
    notes.symlink_to(secret)
    assert not is_covered_by_scope(shape, {"path": str(notes / "b.txt")})


def test_a_plain_text_has_at_most_as_many_characters_as_its_limit():
    longest = "ab " * (MAX_PLAIN_TEXT_LENGTH // 3) + "c" * (MAX_PLAIN_TEXT_LENGTH % 3)
    assert is_plain_text(longest)
    assert not is_plain_text(f"{longest}c")


def test_a_link_into_a_hidden_folder_makes_a_file_no_plain_one(tmp_path: Path):
    hidden = tmp_path / ".keys"
    hidden.mkdir()
    (hidden / "a").write_text("x")
    (tmp_path / "way").symlink_to(hidden)
    shape = build_scope({"path": f"{tmp_path}/way/a"})
    assert is_covered_by_scope(shape, {"path": f"{tmp_path}/way/a"})
    assert not is_covered_by_scope(shape, {"path": f"{tmp_path}/way/b"})


def test_a_folder_is_literal_and_must_stay_where_it_is(tmp_path: Path):
    notes, secret = tmp_path / "notes", tmp_path / "secret"
    notes.mkdir()
    secret.mkdir()
    shape = build_scope({"folder": str(notes)})
    assert is_covered_by_scope(shape, {"folder": str(notes)})
    assert not is_covered_by_scope(shape, {"folder": str(secret)})
    notes.rmdir()
    notes.symlink_to(secret)
    assert not is_covered_by_scope(shape, {"folder": str(notes)})


@pytest.mark.parametrize(
    ("path", "other"),
    [
        ("/etc/hosts", "/etc/shadow"),
        ("/a.txt", "/b.txt"),
        ("/home/u/.ssh/known_hosts", "/home/u/.ssh/id_rsa"),
        ("/home/u/../v/a", "/home/u/../v/b"),
        ("//host/share/a", "//host/share/b"),
        ("/home/u/a\u202e.txt", "/home/u/b.txt"),
        ("~/a.txt", "~/b.txt"),
        ("notes/a.txt", "notes/b.txt"),
        ("C:\\notes\\a.txt", "C:\\notes\\b.txt"),
    ],
)
def test_no_other_file_where_one_is_special(path: str, other: str):
    assert not is_covered_by_scope(build_scope({"path": path}, disk=FLAT), {"path": other}, FLAT)


def test_secrets_and_long_texts_are_kept_as_hashes():
    call = {"api_key": "hunter2", "text": "sk-abcdefghijklmnopqrstuvwx", "body": "x" * 300}
    shape = build_scope(call, disk=FLAT)
    assert is_covered_by_scope(shape, call, FLAT)
    kept = json.dumps(shape) + describe_scope(shape)
    assert not any(secret in kept for secret in call.values())


def test_the_words_say_what_is_covered():
    call = {
        "query": "a",
        "dry\u202e_run\u3164": True,
        "tags": ["x"],
        "o": {"n": 1, "f": 0.5},
        "e": [],
    }
    assert describe_scope(build_scope(call, disk=FLAT)) == (
        'query: any short plain text; dry\\u202e_run\\u3164: exactly true; tags: 1 to 1, each exactly "x";'
        " o: (n: any whole number; f: any number); e: an empty list"
    )
    assert describe_scope(build_scope({})) == "this tool without arguments"
    assert (
        describe_scope(build_scope({"a": True, "b": {"c": "x"}})) == "only exactly these arguments"
    )


def test_a_shape_that_nobody_can_read_is_not_offered():
    assert is_short_enough_to_describe(build_scope({"count": 1}))
    assert not is_short_enough_to_describe(build_scope({f"key{at}": at for at in range(500)}))


@pytest.mark.parametrize("shape", [{}, {"any": "thing"}, {"keys": 3}, {"items": [], "most": "x"}])
def test_a_shape_that_is_not_understood_covers_nothing(shape: dict[str, Any]):
    assert not any(is_covered_by_scope(shape, item, FLAT) for item in ({}, [], None, "", 1))

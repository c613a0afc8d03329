"""The closed sets: a kind that has a file is in its union, and the union has nothing else."""

import importlib
import pkgutil
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel

from conductor.domain import actions, triggers
from conductor.domain.actions import ACTION_KINDS, Action, ActionBase
from conductor.domain.triggers import TRIGGER_KINDS, Trigger, TriggerBase

SETS = [
    pytest.param(triggers, TriggerBase, Trigger, id="triggers"),
    pytest.param(actions, ActionBase, Action, id="actions"),
]


def defined_kinds(package: ModuleType, base: type[BaseModel]) -> set[type[BaseModel]]:
    """Return every class with a tag in any file of the package, imported by the union or not."""
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    return {
        kind
        for kind in descendants(base)
        if kind.__module__.startswith(package.__name__) and tags(kind)
    }


def descendants(base: type[BaseModel]) -> set[type[BaseModel]]:
    children = set(base.__subclasses__())
    return children.union(*(descendants(child) for child in children))


def tags(kind: type[BaseModel]) -> tuple[str, ...]:
    field = kind.model_fields.get("type")
    is_tag = field is not None and get_origin(field.annotation) is Literal
    return get_args(field.annotation) if field is not None and is_tag else ()


def listed_kinds(union: Any, base: type[BaseModel]) -> set[type[BaseModel]]:
    union = getattr(union, "__value__", union)  # a named union holds its parts there
    if isinstance(union, type) and issubclass(union, base):
        return {union}
    return set[type[BaseModel]]().union(*(listed_kinds(part, base) for part in get_args(union)))


@pytest.mark.parametrize(("package", "base", "union"), SETS)
def test_every_kind_with_a_file_is_in_the_union_and_nothing_else_is(
    package: ModuleType, base: type[BaseModel], union: Any
):
    defined, listed = defined_kinds(package, base), listed_kinds(union, base)
    assert {kind.__name__ for kind in defined} == {kind.__name__ for kind in listed}


@pytest.mark.parametrize(
    ("by_tag", "base", "union"),
    [(TRIGGER_KINDS, TriggerBase, Trigger), (ACTION_KINDS, ActionBase, Action)],
    ids=["triggers", "actions"],
)
def test_the_table_of_kinds_by_tag_has_what_the_union_has(
    by_tag: dict[str, type[BaseModel]], base: type[BaseModel], union: Any
):
    assert set(by_tag.values()) == listed_kinds(union, base)


@pytest.mark.parametrize(("package", "base", "union"), SETS)
def test_every_kind_has_a_tag_of_its_own_and_gets_it_by_default(
    package: ModuleType, base: type[BaseModel], union: Any
):
    kinds = listed_kinds(union, base)
    all_tags = [tag for kind in kinds for tag in tags(kind)]
    assert len(all_tags) == len(set(all_tags))
    assert [kind for kind in kinds if kind.model_fields["type"].default not in tags(kind)] == []


@pytest.mark.parametrize(("package", "base", "union"), SETS)
def test_every_kind_says_in_a_sentence_what_it_does(
    package: ModuleType, base: type[BaseModel], union: Any
):
    silent = [
        kind.__name__ for kind in listed_kinds(union, base) if not kind.__dict__.get("__doc__")
    ]
    assert silent == []

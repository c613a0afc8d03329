"""The changes that bring a mapping back from an older version of the config."""

from functools import reduce

import pytest
from tests.support.simulate import config

from conductor.bridge.restore import build_restore_changes
from conductor.domain.changes import apply_change
from conductor.domain.config import Config
from conductor.errors import ConfigError

A, B, C = "Note note=1 -> a", "Note note=2 -> b", "Note note=3 -> c"
NEW_B = "Note note=2 -> x"


def restore(current: Config, old: Config, scope: str, index: int) -> Config:
    return reduce(apply_change, build_restore_changes(current, old, scope, index), current)


def test_a_changed_mapping_gets_its_old_form_back_in_its_place() -> None:
    old = config([A, B, C])
    assert restore(config([A, NEW_B, C]), old, "global", 1) == old


def test_a_deleted_mapping_comes_back_where_it_was() -> None:
    old = config([A, B, C])
    assert restore(config([A, C]), old, "global", 1) == old


def test_a_mapping_that_has_moved_is_restored_where_it_is_now() -> None:
    restored = restore(config([C, A, NEW_B]), config([A, B]), "global", 1)
    assert restored == config([C, A, B])


def test_a_deleted_mode_comes_back_with_only_the_mapping_that_was_asked_for() -> None:
    old = config(modes={"A": [A], "B": [B, C]})
    assert restore(config(modes={"A": [A]}), old, "mode:B", 1) == config(modes={"A": [A], "B": [C]})


def test_a_deleted_profile_comes_back_with_only_the_mapping_that_was_asked_for() -> None:
    web = {"name": "Web", "match": {"executable": "firefox"}}
    old = config([A], profiles=[{**web, "mappings": [B, C]}])
    assert restore(config([A]), old, "profile:Web", 0) == config(
        [A], profiles=[{**web, "mappings": [B]}]
    )


@pytest.mark.parametrize(
    ("scope", "index"), [("global", 2), ("global", 9), ("mode:Gone", 0), ("profile:Gone", 0)]
)
def test_a_mapping_that_the_version_does_not_have_cannot_be_restored(
    scope: str, index: int
) -> None:
    with pytest.raises(ConfigError, match=f"this version has no mapping {index} in {scope}"):
        build_restore_changes(config([A, B]), config([A, B]), scope, index)


def test_a_mapping_that_is_still_the_same_needs_no_restoring() -> None:
    with pytest.raises(ConfigError, match="nothing to restore"):
        build_restore_changes(config([A, B]), config([A, B]), "global", 1)

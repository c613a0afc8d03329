"""Changes of settings as agents write them."""

from typing import Any

import pytest

from conductor.domain.change_kinds import UpdateSettings
from conductor.domain.config import Config
from conductor.errors import InvalidParams
from conductor.tools.catalog.settings_changes import UpdateSettingsParams, update_settings


def planned(settings: dict[str, Any]) -> dict[str, Any]:
    proposal = update_settings(UpdateSettingsParams(settings=settings), Config())
    assert isinstance(proposal, tuple)
    change = proposal[0]
    assert isinstance(change, UpdateSettings)
    return change.settings


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"skills.tiers.network": True}, {"skills": {"tiers": {"network": True}}}),
        ({"settings.engine.start_mode": "A"}, {"settings": {"engine": {"start_mode": "A"}}}),
        (
            {"skills.tiers.network": True, "skills": {"tiers": {"enhanced": False}}},
            {"skills": {"tiers": {"enhanced": False, "network": True}}},
        ),
        ({"skills.tools.mcp:a:b.c": False}, {"skills": {"tools": {"mcp:a:b.c": False}}}),
        ({"skills": {"tools": {"mcp:a:b.c": 1}}}, {"skills": {"tools": {"mcp:a:b.c": 1}}}),
        ({"skills.folders": None}, {"skills": {"folders": None}}),
    ],
)
def test_a_setting_may_be_named_with_dots(written: dict[str, Any], meant: dict[str, Any]) -> None:
    before = repr(written)
    assert planned(written) == meant
    assert repr(written) == before


@pytest.mark.parametrize(
    "settings",
    [
        {"skills": None, "skills.tiers.network": True},
        {"skills": {"tiers": {"network": False}}, "skills.tiers.network": True},
        {"engine.x": 1, "engine.x.y": 2},
    ],
)
def test_a_setting_that_is_given_twice_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidParams, match=r"cannot both be given|given twice"):
        planned(settings)

"""The stage of the journeys once more, for what waits for time limits most of the time: it is played beside them."""

from tests.journeys.conftest import (
    browser,
    pads,
    pads_of_all,
    page,
    screen_of_all,
    stage,
    stage_of_all,
)

__all__ = ["browser", "pads", "pads_of_all", "page", "screen_of_all", "stage", "stage_of_all"]

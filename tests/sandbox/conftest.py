"""The stage of the journeys once more, for what waits for time limits most of the time: it is played beside them."""

from tests.journeys.conftest import (
    browser,
    page,
    pads,
    pads_of_all,
    screen_of_all,
    stage,
    stage_of_all,
)

__all__ = ["browser", "page", "pads", "pads_of_all", "screen_of_all", "stage", "stage_of_all"]

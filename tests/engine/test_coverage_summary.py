"""The line that says how far the gestures of a plan have come."""

import pytest

from conductor.domain.coverage import Coverage, MappingCoverage
from conductor.engine.coverage import summarize_coverage


def mapping(words: str, *, played: bool | None) -> MappingCoverage:
    return MappingCoverage(scope="global", index=0, side="new", words=words, played=played)


UNPLAYED = tuple(mapping(name, played=False) for name in "abcdefg")


@pytest.mark.parametrize(
    ("coverage", "line"),
    [
        (Coverage(), ""),
        (Coverage(finished=True), ""),
        (Coverage(changed=UNPLAYED[:1]), "You have not played `a` recently."),
        (
            Coverage(changed=UNPLAYED, finished=True),
            "You have not played `a`, `b`, `c`, `d`, `e` and 2 more recently.",
        ),
        (Coverage(changed=(mapping("a", played=None), mapping("b", played=True))), ""),
        (
            Coverage(gestures_played=2500, differing=1, progress=0.25),
            "Tried 2,500 gestures so far (25%); 1 now does something else.",
        ),
        (
            Coverage(gestures_played=1, depth=1, finished=True),
            "Tried 1 gesture; all still do the same (every gesture with up to 1 touch).",
        ),
        (
            Coverage(gestures_played=12, differing=2, depth=3, finished=True),
            "Tried 12 gestures; 2 now do something else (every gesture with up to 3 touches).",
        ),
        (
            Coverage(gestures_played=12, depth=3, finished=True, cut_short=True),
            "Tried 12 gestures; all still do the same (stopped at the limit; longer gestures were not tried).",
        ),
    ],
)
def test_the_summary_says_what_was_tried_and_nothing_before_that(
    coverage: Coverage, line: str
) -> None:
    assert summarize_coverage(coverage) == line

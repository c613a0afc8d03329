"""Large files are checked in linear, not quadratic, time."""

from conductor.domain.config import Config, Mode
from conductor.domain.validate import check_config


class CountedName(str):
    """A name that counts its comparisons."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        CountedName.compared += 1
        return super().__eq__(other)

    __hash__ = str.__hash__


def test_a_mode_is_not_compared_with_every_mode_before_it() -> None:
    names = [CountedName(f"M{number}") for number in range(2_000)]
    modes = tuple(Mode.model_construct(name=name, mappings=()) for name in names)
    config = Config(modes=(Mode(name="M"),)).model_copy(update={"modes": modes})
    CountedName.compared = 0
    check_config(config)
    assert CountedName.compared < 20 * len(names)

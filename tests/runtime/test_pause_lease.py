"""Mappings that rest while a profile is played in: as long as somebody says so, and no longer."""

import asyncio
from collections.abc import Awaitable, Callable

from conductor.domain.engine_replies import PauseReply
from conductor.errors import NotAvailable
from conductor.runtime.pause_lease import PauseLease

SOON_S, LONG_S, WITHIN_S = 0.02, 60.0, 20.0


class Mappings:
    """Replaces the engine; shows whether it is paused, and the messages it received."""

    def __init__(self, *, paused: bool = False) -> None:
        self.paused = paused
        self.told: list[bool] = []
        self.going = asyncio.Event()
        self.fails = 0

    async def pause(self, on: bool) -> PauseReply:
        if self.fails and not on:
            self.fails -= 1
            raise NotAvailable("the engine starts again")
        was_paused, self.paused = self.paused, on
        if on != was_paused:
            self.told.append(on)
        if not on:
            self.going.set()
        return PauseReply(was_paused=was_paused)

    def rest(self, lasts_s: float) -> PauseLease:
        return PauseLease(self.pause, lasts_s)


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(WITHIN_S):
            await scenario()

    asyncio.run(bounded())


def test_a_page_that_is_gone_leaves_nothing_paused():
    async def scenario() -> None:
        mappings = Mappings()
        await mappings.rest(SOON_S).begin_pause("page")
        assert mappings.told == [True]
        await mappings.going.wait()
        assert mappings.told == [True, False]

    run(scenario)


def test_a_page_that_was_slow_has_them_rest_again():
    async def scenario() -> None:
        mappings = Mappings()
        rest = mappings.rest(SOON_S)
        await rest.begin_pause("page")
        await mappings.going.wait()
        await rest.renew_pause("page")
        assert mappings.paused
        mappings.going.clear()
        await mappings.going.wait()

    run(scenario)


def test_the_end_lets_them_go_on_and_nothing_late_stops_them_again():
    async def scenario() -> None:
        mappings = Mappings()
        rest = mappings.rest(LONG_S)
        await rest.begin_pause("page")
        await rest.renew_pause("page")
        await rest.end_pause("page")
        await rest.renew_pause("page")
        await rest.end_pause("page")
        assert mappings.told == [True, False]

    run(scenario)


def test_what_the_user_has_paused_stays_paused():
    async def scenario() -> None:
        mappings = Mappings(paused=True)
        rest = mappings.rest(SOON_S)
        await rest.begin_pause("page")
        await rest.renew_pause("page")
        await rest.end_pause("page")
        assert (mappings.told, mappings.paused) == ([], True)

    run(scenario)


def test_an_engine_that_does_not_answer_is_asked_again():
    async def scenario() -> None:
        mappings = Mappings()
        mappings.fails = 3
        await mappings.rest(SOON_S).begin_pause("page")
        await mappings.going.wait()
        assert mappings.told == [True, False]

    run(scenario)


def test_mappings_that_the_user_resumes_are_not_paused_again():
    async def scenario() -> None:
        mappings = Mappings()
        lease = mappings.rest(LONG_S)
        await lease.begin_pause("learn")
        lease.drop_holders()
        await mappings.pause(False)
        await lease.renew_pause("learn")
        await lease.end_pause("learn")
        assert mappings.told == [True, False]

    run(scenario)


def test_one_holder_does_not_resume_what_another_one_has_paused():
    async def scenario() -> None:
        mappings = Mappings()
        lease = mappings.rest(LONG_S)
        await lease.begin_pause("learn")
        await lease.begin_pause("profile")
        await lease.end_pause("learn")
        assert mappings.paused
        await lease.end_pause("profile")
        assert mappings.told == [True, False]

    run(scenario)

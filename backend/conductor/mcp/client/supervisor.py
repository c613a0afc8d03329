"""One server, from the user's start to the user's stop, over as many processes as it takes."""

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx2

from conductor.base import clock
from conductor.domain.pins import Pin
from conductor.errors import NotAvailable
from conductor.mcp.client import failures
from conductor.mcp.client.connection import Connection, open_connection
from conductor.mcp.client.http import Challenge
from conductor.mcp.client.token_storage import load, refreshing_auth
from conductor.mcp.client.tool_catalog import OfferedTool, list_offered, pin_tools
from conductor.mcp.client.traffic import ServerLog
from conductor.mcp.client.values import OnQuestion, Pins, Server, SignIns, State

log = logging.getLogger(__name__)

STOPPED_WITHIN_S = 3.0


@dataclass(frozen=True, slots=True)
class Times:
    """How long things may take; tests have less patience."""

    connect_s: float = 15.0
    back_off_s: tuple[float, ...] = (0.5, 1.0, 2.0)
    """Before each further try; after the last one a program is given up."""
    slow_back_off_s: float = 60.0
    """Between the tries to reach an address after that."""
    quick_s: float = 30.0
    """A server that ran this long did not end quickly: it starts anew with the first pause."""
    settle_s: float = 0.5
    """How long changed lists are let settle before they are read again..."""
    most_settle_s: float = 60.0
    """...and at most, of a server that says so again and again."""


class Supervisor:
    """Runs a server in a task of its own; whatever it does ends up in `state` and `problem`."""

    def __init__(
        self,
        server: Server,
        pins: Pins,
        ask: OnQuestion,
        tell: Callable[[], None],
        times: Times,
        sign_ins: SignIns | None = None,
    ) -> None:
        self.server = server
        self.log = ServerLog()
        self.state: State = "starting"
        self.problem: str | None = None
        self.offers: dict[str, OfferedTool] = {}
        self.left_out: dict[str, str] = {}
        """Tools that the registry could not take, and why."""
        self.connection: Connection | None = None
        self.started_at: datetime | None = None
        self.is_signed_in = False
        """Whether it is sent a token of a sign-in."""
        self._refused: Challenge | None = None
        self._pins, self._ask, self._tell, self._times = pins, ask, tell, times
        self._sign_ins = sign_ins
        self._ready_at: float | None = None
        self._kept_era = ""
        """What the database has, as far as is known."""
        self.tried = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def challenge(self) -> Challenge | None:
        """What a sign-in would mend now."""
        return self._refused if self.connection is None else self.connection.status.more

    def say(self, problem: str | None) -> None:
        """Tell what became of a sign-in."""
        self._is(self.state, problem)

    def start(self) -> None:
        """Start it; `tried` is set when it is ready or the first try has failed."""
        self._task = asyncio.create_task(self._run(), name=f"mcp server {self.server.name}")

    async def stop(self) -> None:
        """End it, whatever it is doing."""
        task = self._task
        if task is None:
            return
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=STOPPED_WITHIN_S)
        if not done and self.server.transport == "http":
            task.cancel()  # it does not take leave
        await asyncio.wait([task])
        self._is("stopped", self.problem if self.state == "failed" else None)

    async def _run(self) -> None:
        quick, times = 0, self._times
        try:
            while True:
                self._ready_at = None
                why, tail, is_hopeless = await self._one_run()
                ready_at = self._ready_at
                ran = ready_at is not None and clock.now() - ready_at >= times.quick_s
                quick = 1 if ran else quick + 1
                is_over = is_hopeless or quick > len(times.back_off_s)
                words = why if is_over else f"{why}{failures.AGAIN}"
                wants = "sign_in" if self._refused else "failed"
                self._is(wants if is_over else "starting", failures.with_tail(words, tail))
                self.tried.set()
                if is_hopeless or (is_over and self.server.transport == "stdio"):
                    return
                await asyncio.sleep(
                    times.slow_back_off_s if is_over else times.back_off_s[quick - 1]
                )
        except Exception as error:  # a fault of ours must not look like a server that runs
            log.exception("the MCP server %s is given up", self.server.name)
            self._is("failed", failures.said(error))
        finally:
            self.tried.set()

    async def _one_run(self) -> tuple[str, list[str], bool]:
        """Connect and stay; give why it ended, what it wrote, and whether another try is in vain."""
        self._refused = None
        try:
            auth, mode = await self._auth(), await self._mode()
            async with open_connection(
                self.server, mode, self.log, self._ask, self._times.connect_s, auth
            ) as connection:
                await self._ready(connection)
                why = await self._stay(connection)
                self._refused = connection.status.refused
        except NotAvailable as error:
            await self._remember("auto")
            is_hopeless = isinstance(error, failures.Hopeless)
            self._refused = getattr(error, "challenge", None)
            return str(error), [] if is_hopeless else self.log.lines(), is_hopeless
        except Exception as error:  # whatever it is, it ends this connection and no more
            log.warning("the MCP server %s failed", self.server.name, exc_info=True)
            why = failures.said(error)
        finally:
            self.connection = None
        is_hopeless = self._refused is not None
        return why, [] if is_hopeless else self.log.lines(), is_hopeless

    async def _auth(self) -> httpx2.Auth | None:
        """Return what sends the token, if the user has signed in to this server at this address."""
        kept = None
        if self.server.transport == "http" and self._sign_ins is not None:
            kept = await asyncio.to_thread(load, self.server, self._sign_ins)
        self.is_signed_in = kept is not None
        if kept is None or self._sign_ins is None:
            return None
        return refreshing_auth(self.server, self._sign_ins, kept)

    async def _mode(self) -> str:
        """Return how to speak: asking a server of the older kind whether it is of the newer may cost 10 s."""
        era = self.server.era
        if era == "auto":
            try:
                era = self._kept_era = await asyncio.to_thread(self._pins.era, self.server.identity)
            except NotAvailable as error:
                log.warning("how the MCP server %s spoke is not known: %s", self.server.name, error)
        return "legacy" if era == "legacy" else "auto"

    async def _remember(self, era: str) -> None:
        """Keep how it speaks: that saves a question the next time, and is worth no failure."""
        if era == self._kept_era:
            return
        try:
            await asyncio.to_thread(self._pins.set_era, self.server.identity, era)
            self._kept_era = era
        except NotAvailable as error:
            log.warning("how the MCP server %s speaks was not kept: %s", self.server.name, error)

    async def _ready(self, connection: Connection) -> None:
        await self._remember("modern" if connection.is_modern else "legacy")
        await self._compare(connection.tools, is_first=True)
        self.connection, self.started_at = connection, datetime.now(UTC)  # not before: no call yet
        self._ready_at = clock.now()
        self._is("ready", None)
        self.tried.set()

    async def _compare(self, listed: list[dict[str, Any]], *, is_first: bool) -> None:
        """Hold the tools against what the user accepted; the first list ever is what was agreed to."""
        accepted = await asyncio.to_thread(self._pins.accepted, self.server.identity)
        if accepted is None and is_first:
            pins = pin_tools(listed)
            await asyncio.to_thread(self._pins.accept, self.server.identity, pins)
            accepted = {pin.tool: pin for pin in pins}
        self.offers = list_offered(self.server.name, listed, accepted or {})

    async def accept(self, pin: Pin) -> None:
        """Take a new or changed tool for accepted."""
        await asyncio.to_thread(self._pins.accept, self.server.identity, (pin,))
        if self.connection is not None:
            await self._compare(self.connection.tools, is_first=False)
        self._tell()

    async def _stay(self, connection: Connection) -> str:
        """Follow the changes of its lists until it ends; say why."""
        listening = asyncio.create_task(connection.listen())
        ending = asyncio.create_task(connection.ending())
        following = asyncio.create_task(self._follow(connection))
        tasks: list[asyncio.Task[Any]] = [listening, ending, following]
        try:
            await asyncio.wait([ending, following], return_when=asyncio.FIRST_COMPLETED)
            return ending.result() if ending.done() else failures.said(_fault_of(following))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self, connection: Connection) -> None:
        """List again what has changed; later and later if it says so again soon: some do at each listing."""
        times, listed = self._times, connection.listed
        settle_s, read_at = 0.0, -math.inf
        while True:
            await connection.changed.wait()
            is_soon = clock.now() - read_at <= settle_s
            settle_s = min(2 * settle_s, times.most_settle_s) if is_soon else times.settle_s
            await asyncio.sleep(settle_s)
            connection.changed.clear()
            async with asyncio.timeout(times.connect_s):
                await connection.list_all()
            read_at = clock.now()
            if connection.listed != listed:
                listed = connection.listed
                await self._compare(connection.tools, is_first=False)
                self._tell()

    def _is(self, state: State, problem: str | None) -> None:
        self.state, self.problem = state, problem
        if state in ("failed", "stopped", "sign_in"):
            self.offers = {}
        self._tell()


def _fault_of(task: "asyncio.Task[None]") -> BaseException:
    return task.exception() or NotAvailable("its lists could not be read")

"""A host as the app has one, with pins in a database of its own, and servers to connect it to."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.running import REPOSITORY

from conductor.mcp.client.manager import ClientManager
from conductor.mcp.client.supervisor import Times
from conductor.mcp.client.values import (
    ClientView,
    Question,
    QuestionAnswer,
    Server,
    SignIns,
    ToolView,
)
from conductor.storage.database import Database
from conductor.storage.pins import ToolPins
from conductor.tools.registry import Registry

WITHIN_S = 50.0
SCRIPTS = Path(__file__).parent / "servers"
BIN = REPOSITORY / "node_modules" / ".bin"
PATIENT = Times(back_off_s=(), settle_s=0.05)
"""A server that ends is given up at once."""


class Stand:
    """A host, what it told, and how a test waits for it."""

    def __init__(
        self, folder: Path, times: Times = PATIENT, sign_ins: SignIns | None = None
    ) -> None:
        self.registry = Registry()
        self.database = Database(folder / "conductor.db")
        self.questions: list[Question] = []
        self.answer = QuestionAnswer(action="cancel")
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.host = ClientManager(
            self.registry,
            ToolPins(lambda: self.database),
            self._changed,
            self._asked,
            times,
            sign_ins,
        )
        self._news = asyncio.Condition()
        self._waking: set[asyncio.Task[None]] = set()

    def view(self, name: str = "it") -> ClientView:
        view = self.host.view(name)
        assert view is not None
        return view

    def tool(self, tool: str, name: str = "it") -> ToolView:
        return next(each for each in self.view(name).tools if each.name == tool)

    async def until(self, is_so: Callable[[ClientView], bool], name: str = "it") -> ClientView:
        """Wait until the view of a server is as wanted."""
        async with asyncio.timeout(WITHIN_S), self._news:
            await self._news.wait_for(lambda: is_so(self.view(name)))
        return self.view(name)

    async def until_known(self, name: str = "it") -> None:
        """Wait until a server is being started."""
        async with asyncio.timeout(WITHIN_S):
            while name not in self.host.names():  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    async def logged(self, words: str, count: int = 1, name: str = "it") -> None:
        """Wait until the log of a server has these words so often."""
        async with asyncio.timeout(WITHIN_S):
            while sum(words in line for line in self.host.log(name)) < count:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    async def text(self, tool: str, name: str = "it", /, **arguments: Any) -> str:
        return (await self.host.call(name, tool, arguments)).text

    def _changed(self, _: str) -> None:
        task = asyncio.get_running_loop().create_task(self._tell())
        self._waking.add(task)
        task.add_done_callback(self._waking.discard)

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()

    async def _asked(self, question: Question) -> QuestionAnswer:
        self.questions.append(question)
        await self.may_answer.wait()
        return self.answer


@asynccontextmanager
async def standing(
    folder: Path, times: Times = PATIENT, sign_ins: SignIns | None = None
) -> AsyncGenerator[Stand]:
    stand = Stand(folder, times, sign_ins)
    try:
        async with asyncio.timeout(WITHIN_S):
            yield stand
    finally:
        await stand.host.close()
        stand.database.close()


def with_host(
    folder: Path, work: Callable[[Stand], Awaitable[Any]], times: Times = PATIENT
) -> None:
    async def run() -> None:
        async with standing(folder, times) as stand:
            await work(stand)

    asyncio.run(run())


def script(name: str, *arguments: str, server: str = "it", **more: Any) -> Server:
    """Return one of the servers beside this file."""
    argv = (sys.executable, str(SCRIPTS / f"{name}.py"), *arguments)
    return Server(name=server, transport="stdio", argv=argv, **more)


def npm(name: str, *arguments: str, server: str = "it", **more: Any) -> Server:
    return Server(
        name=server, transport="stdio", argv=(str(BIN / f"mcp-server-{name}"), *arguments), **more
    )


def module(name: str, *arguments: str, server: str = "it", **more: Any) -> Server:
    return Server(
        name=server, transport="stdio", argv=(sys.executable, "-m", name, *arguments), **more
    )


def hostile(mode: str, *rest: object, **more: Any) -> Server:
    return script("hostile", mode, *(str(each) for each in rest), **more)


async def beats(until: "asyncio.Task[object]") -> int:
    """Count how often the loop comes by while something is under way."""
    count = 0
    while not until.done():
        await asyncio.sleep(0.01)
        count += 1
    return count

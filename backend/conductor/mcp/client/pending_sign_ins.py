"""Manages the sign-ins that wait for the user, at most one for each server."""

import asyncio
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import TYPE_CHECKING

from conductor.errors import InvalidParams, NotAvailable
from conductor.mcp.client.values import SignInStore

if TYPE_CHECKING:
    from conductor.mcp.client.supervisor import ServerSupervisor

SIGN_IN_CANCELLED_MESSAGE = "the sign-in was cancelled; choose Sign in to try again"
NO_SECURE_STORAGE_MESSAGE = "there is no secure place to store a sign-in"
MAX_PENDING_SIGN_INS = 4
"""The maximum number of pending sign-ins, because each of them listens on a port of its own."""


class PendingSignIns:
    """Runs the pending sign-ins in background tasks, at most one for each server. Use it on the event loop."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._addresses: dict[str, str] = {}

    def get_sign_in_address(self, name: str) -> str | None:
        """Return the address at which the user signs in to a server.

        The result is an empty text until the address is known, and None if no sign-in is pending.
        """
        return self._addresses.get(name)

    async def start_sign_in(
        self,
        supervisor: "ServerSupervisor",
        store: SignInStore,
        on_change: Callable[[], None],
        on_done: Callable[[], Awaitable[None]],
    ) -> str:
        """Start a sign-in, or join the pending one, and return the address that the user must open.

        `on_done` is awaited after the user has signed in.

        Raises:
            NotAvailable: The sign-in failed before an address was known.
            InvalidParams: The server does not require a sign-in, or too many are pending.
        """
        name = supervisor.server.name
        if self._addresses.get(name):
            return self._addresses[name]
        await self.cancel_sign_in(name)
        if supervisor.challenge is None:
            raise InvalidParams(f"{name} does not require you to sign in now")
        if len(self._tasks) >= MAX_PENDING_SIGN_INS:
            raise InvalidParams("too many sign-ins are pending: finish or cancel one first")
        address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(
            self._run_sign_in(supervisor, store, on_change, on_done, address)
        )
        self._tasks[name], self._addresses[name] = task, ""
        task.add_done_callback(lambda task: self._on_task_done(name, task))
        supervisor.report_sign_in_problem(None)
        # if the sign-in fails before the address is known, the task ends first
        await asyncio.wait([task, address], return_when=asyncio.FIRST_COMPLETED)
        if address.done() and not address.cancelled():
            return address.result()
        raise NotAvailable(supervisor.problem or SIGN_IN_CANCELLED_MESSAGE)

    async def wait_until_done(self, name: str) -> None:
        """Wait until the pending sign-in to a server has succeeded or failed."""
        if name in self._tasks:
            # `wait` instead of `await`, because a failure of the task must not be raised here
            await asyncio.wait([self._tasks[name]])

    async def cancel_sign_in(self, name: str) -> None:
        """Cancel the pending sign-in to a server, if there is one."""
        if name in self._tasks:
            self._tasks[name].cancel()
            await asyncio.wait([self._tasks[name]])

    async def close(self) -> None:
        """Cancel all pending sign-ins, because Conductor is shutting down."""
        await asyncio.gather(*(self.cancel_sign_in(name) for name in list(self._tasks)))

    async def _run_sign_in(
        self,
        supervisor: "ServerSupervisor",
        store: SignInStore,
        on_change: Callable[[], None],
        on_done: Callable[[], Awaitable[None]],
        address_future: "asyncio.Future[str]",
    ) -> None:
        """Run one sign-in. Report the problem if it fails, and call `on_done` if it succeeds."""
        name, challenge, problem = (
            supervisor.server.name,
            supervisor.challenge,
            SIGN_IN_CANCELLED_MESSAGE,
        )
        assert challenge is not None

        def show(address: str) -> None:
            self._addresses[name] = address
            address_future.set_result(address)
            on_change()

        try:
            # in a thread, because importing the OAuth modules of the library takes a while
            await asyncio.to_thread(import_module, "conductor.mcp.client.sign_in")
            from conductor.mcp.client.sign_in import SignInFlow

            await SignInFlow(supervisor.server, challenge, store, show).run()
            problem = None
        except NotAvailable as error:
            problem = str(error)
        finally:
            del self._addresses[name]
            if problem is not None:
                supervisor.report_sign_in_problem(problem)  # also if the task is cancelled
        if problem is None:
            await on_done()

    def _on_task_done(self, name: str, task: "asyncio.Task[None]") -> None:
        # a new sign-in to the same server may have replaced this one
        if self._tasks.get(name) is task:
            del self._tasks[name]

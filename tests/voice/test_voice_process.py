"""The microphone of a real sound server, opened and closed by the voice process."""

import asyncio
import io
import os
import signal
import threading
import wave
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.pulse import PulseServer, pulse_server
from tests.support.running import wait_for
from tests.support.speech import require_speech, speak_to_file

from conductor.base.child import ChildProcess
from conductor.errors import NotAvailable
from conductor.voice.host import VoiceHost

pytestmark = pytest.mark.pulse
WAIT_S = 30.0
NAMES = ("Mute microphone", "Next track", "mode Live")


@pytest.fixture
def pulse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[PulseServer]:
    with pulse_server(tmp_path, has_microphone=True) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        yield server


@asynccontextmanager
async def voice() -> AsyncGenerator[VoiceHost]:
    host = VoiceHost()
    try:
        yield host
    finally:
        await host.close()


@pytest.mark.speech
def test_what_is_said_while_the_microphone_is_open_is_recognised(
    pulse: PulseServer, tmp_path: Path
):
    require_speech()
    spoken = speak_to_file(tmp_path / "said.wav", "mute microphone")

    async def say() -> None:
        async with voice() as host:
            assert await host.list_microphones() == ["Microphone"]
            assert not pulse.is_recorded()
            await host.listen("", 30)
            assert pulse.is_recorded()
            await asyncio.to_thread(pulse.say, spoken)
            heard = await host.finish(NAMES, wants_sound=True, is_strict=False)
            assert (heard.name, heard.wav) == ("Mute microphone", b"")
            assert not pulse.is_recorded()
            await host.listen("micro", 30)
            await asyncio.to_thread(pulse.say, spoken)
            heard = await host.finish((), wants_sound=True, is_strict=False)
        with wave.open(io.BytesIO(heard.wav)) as sound:
            assert (sound.getframerate(), sound.getnchannels()) == (16_000, 1)
            assert 1 < sound.getnframes() / 16_000 < 30

    asyncio.run(say())


def test_what_cannot_be_recorded_is_explained_and_closes_the_microphone(
    pulse: PulseServer, monkeypatch: pytest.MonkeyPatch
):
    async def record() -> None:
        async with voice() as host:
            await host.listen("", 30)
            with pytest.raises(NotAvailable, match=r"only silence|hold the control while"):
                await host.finish(NAMES, wants_sound=False, is_strict=False)
            with pytest.raises(NotAvailable, match=r"connected are `Microphone`\. Choose one"):
                await host.listen("Headset", 30)
            with pytest.raises(NotAvailable, match="No microphone is called `Headset`"):
                await host.finish(NAMES, wants_sound=False, is_strict=False)
            await host.listen("", 30)
            host.cancel()
            await asyncio.to_thread(wait_for, pulse.is_recorded, lambda is_open: not is_open)
        monkeypatch.setenv("PULSE_SERVER", "unix:/nowhere/at/all")
        async with voice() as host:
            with pytest.raises(NotAvailable, match="start PulseAudio or PipeWire"):
                await host.listen("", 30)

    asyncio.run(record())


def test_the_monitor_of_an_output_is_no_microphone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def record() -> None:
        async with voice() as host:
            with pytest.raises(NotAvailable, match="No microphone was found: plug one in"):
                await host.listen("", 30)

    with pulse_server(tmp_path) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        asyncio.run(record())


@pytest.mark.parametrize("is_noticed", [False, True])
def test_the_microphone_is_closed_when_the_time_is_up_or_its_process_is_killed(
    pulse: PulseServer, is_noticed: bool
):
    async def record() -> None:
        limit = asyncio.Event()
        host = VoiceHost(limit.set)
        await host.listen("", 0.1)
        await limit.wait()
        await asyncio.to_thread(wait_for, pulse.is_recorded, lambda is_open: not is_open)
        await host.listen("", 30)
        assert host.pid is not None
        os.kill(host.pid, signal.SIGKILL)
        if is_noticed:
            await asyncio.to_thread(wait_for, lambda: host.pid, lambda pid: pid is None)
            await host.list_microphones()  # in another process, which has recorded nothing
        with pytest.raises(NotAvailable, match="ended unexpectedly"):
            await host.finish(NAMES, wants_sound=False, is_strict=False)
        await asyncio.to_thread(wait_for, pulse.is_recorded, lambda is_open: not is_open)
        await host.listen("", 30)  # in another process
        await host.close()
        await asyncio.to_thread(wait_for, pulse.is_recorded, lambda is_open: not is_open)

    asyncio.run(record())


def test_a_process_is_ended_though_the_request_that_starts_it_was_cancelled(
    monkeypatch: pytest.MonkeyPatch,
):
    is_starting, may_start = threading.Event(), threading.Event()
    started: list[ChildProcess] = []

    class SlowChild(ChildProcess):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            is_starting.set()
            may_start.wait(WAIT_S)
            super().__init__(*arguments, **options)
            started.append(self)

    async def cancel() -> None:
        host = VoiceHost()
        request = asyncio.create_task(host.list_microphones())
        assert await asyncio.to_thread(is_starting.wait, WAIT_S)
        request.cancel()
        await asyncio.wait([request])
        may_start.set()
        await host.close()

    monkeypatch.setattr("conductor.voice.host.ChildProcess", SlowChild)
    asyncio.run(cancel())
    (child,) = started
    try:
        assert not child.is_running
    finally:
        child.kill()


def test_the_limit_of_a_recording_does_not_end_the_next_one(
    pulse: PulseServer, monkeypatch: pytest.MonkeyPatch
):
    has_arrived = threading.Event()

    class WatchedChild(ChildProcess):
        def __init__(
            self, *arguments: Any, on_message: Callable[[Any], None], **options: Any
        ) -> None:
            def watch(message: Any) -> None:
                on_message(message)
                has_arrived.set()

            super().__init__(*arguments, on_message=watch, **options)

    async def record() -> None:
        limits: list[str] = []
        host = VoiceHost(lambda: limits.append("reached"))
        await host.listen("", 0.1)
        # This blocks the event loop, which therefore learns of the limit only during the next recording.
        assert has_arrived.wait(WAIT_S)
        host.cancel()
        await host.listen("", 30)
        assert limits == []
        await host.close()

    monkeypatch.setattr("conductor.voice.host.ChildProcess", WatchedChild)
    asyncio.run(record())

"""Kills a process of a running Conductor while keys are held and notes sound, and times what follows.

with kill_stage() as stage:
    outcome = stage.kill("engine", ("key", "note"))
    assert not outcome.still_held

Everything is real: a JACK server, an X server, a MIDI device in another process.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from tests.support.failure_logs import logs_on_failure
from tests.support.jack import TIMEOUT_MS, MidiPeer, jack_server
from tests.support.running import RunningConductor, mapped, running_conductor, short_home, wait_for
from tests.support.xserver import name_of, x_server
from Xlib import X
from Xlib.display import Display

from conductor.base.clock import now

Victim = Literal["engine", "port", "app"]
VICTIMS: tuple[Victim, ...] = ("engine", "port", "app")
Held = Literal["key", "note", "sent", "repeat", "mode"]
NO_LATER_THAN_S = 1.0
"""Within this time after a kill, nothing may be held or sound, and mappings must work again."""
SEEN_FOR_S = 0.3
"""How long after that it is watched whether something goes on."""
PROBE_EVERY_S = 0.02
GIVE_UP_S = 90.0
LOOK_EVERY_S = 0.004
_PAUSE = threading.Event()
"""Never set."""

TRIGGER = "{{ type = 'Note', note = {}, device = 'pads' }}"
CONTROLS: dict[Held, int] = {"key": 36, "note": 38, "sent": 41, "repeat": 40, "mode": 42}
PROBE = 48
ROWS = (
    (36, "{ type = 'Keystroke', keys = ['h'], hold = 'while_held' }"),
    (38, "{ type = 'MidiForward', port = 'Pads In', transpose = 12, channel = 3 }"),
    (41, "{ type = 'SendMidi', port = 'Pads In', message_type = 'NoteOn', note = 60 }"),
    (
        40,
        "{ type = 'Repeat', delay_ms = 40, until_release = true,"
        " action = { type = 'Keystroke', keys = ['r'] } }",
    ),
    (42, "{ type = 'ModeChange', mode = 'Shift', behaviour = 'momentary' }"),
    (PROBE, "{ type = 'Keystroke', keys = ['k'] }"),
)
CONFIG = mapped(
    *((TRIGGER.format(note), action) for note, action in ROWS), more="[[modes]]\nname = 'Shift'\n"
)


class Outcome(NamedTuple):
    """The effects of one kill; times are in seconds after it."""

    victim: Victim
    held: tuple[Held, ...]
    still_held: tuple[str, ...]
    """What was held, sounded or went on after a second."""
    released_s: float
    """When the last key went up, note ended or stroke was repeated."""
    back_s: float | None
    """When a mapping acted again; None after a kill of the app, which nothing starts again."""

    @property
    def is_well(self) -> bool:
        """Check that nothing was held, and that mappings acted again in time."""
        back = self.back_s is None or self.back_s <= NO_LATER_THAN_S
        return not self.still_held and back


class Sounding:
    """A MIDI device that knows which of the notes sent to it sound, and when the last one ended."""

    def __init__(self, name: str) -> None:
        self.notes: set[tuple[int, int]] = set()
        self.ended_at = 0.0
        self.peer = MidiPeer(name, on_message=self._on_message)

    def _on_message(self, message: str) -> None:
        status, note, velocity = bytes.fromhex(message)[:3]
        if status & 0xF0 == 0x90 and velocity:
            self.notes.add((status & 0x0F, note))
        elif status & 0xE0 == 0x80:
            if (status & 0x0F, note) in self.notes:  # a second end of a note is no news
                self.ended_at = now()
            self.notes.discard((status & 0x0F, note))


class KeyWatch:
    """Looks at the whole keyboard of an X server again and again, on a thread of its own."""

    def __init__(self, display: str) -> None:
        self._display = Display(display)
        self._stop = threading.Event()
        self.down: set[str] = set()
        self.down_at: dict[str, float] = {}
        """When each key was last seen down."""
        self._thread = threading.Thread(target=self._run, name="key watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(5)
        self._display.close()

    def _run(self) -> None:
        while not self._stop.wait(LOOK_EVERY_S):
            codes = self._display.query_keymap()
            found = {
                name_of(self._display.keycode_to_keysym(8 * byte + bit, 0))
                for byte, bits in enumerate(codes)
                for bit in range(8)
                if bits >> bit & 1
            }
            self.down = found
            self.down_at.update(dict.fromkeys(found, now()))


class KeyPresses:
    """Records when each key is pressed, which taps between two looks at the keyboard would hide."""

    def __init__(self, display: str) -> None:
        self._display = Display(display)
        screen = self._display.screen()
        mask = X.KeyPressMask | X.ExposureMask
        window = screen.root.create_window(0, 0, 9, 9, 0, screen.root_depth, event_mask=mask)
        window.map()
        self._window = window
        self._stop = threading.Event()
        self.pressed_at: dict[str, float] = {}
        self.focused = threading.Event()
        self._thread = threading.Thread(target=self._run, name="key presses", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(5)
        self._display.close()

    def _run(self) -> None:
        while not self._stop.wait(LOOK_EVERY_S):
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == X.Expose:
                    self._window.set_input_focus(X.RevertToPointerRoot, X.CurrentTime)
                    self._display.sync()
                    self.focused.set()
                elif event.type == X.KeyPress:
                    name = name_of(self._display.keycode_to_keysym(event.detail, 0))
                    self.pressed_at[name] = now()


class KillStage:
    """A Conductor with everything around it; `kill` may be called again and again."""

    def __init__(self, display: str, home: Path, pads: Sounding, jack_log: Path) -> None:
        self._display = display
        self._home = home
        self._jack_log = jack_log
        self._pads = pads
        self._keys = KeyWatch(display)
        self._presses = KeyPresses(display)
        self._running = contextlib.ExitStack()
        self.conductor = self._start(CONFIG)
        assert self._presses.focused.wait(10), "the window did not get the focus"

    def close(self) -> None:
        self._running.close()
        self._presses.close()
        self._keys.close()

    def kill(self, victim: Victim, held: Sequence[Held]) -> Outcome:
        """Hold keys and notes, kill a process, and measure when they end and mappings work again."""
        with logs_on_failure(self._home / "logs"), logs_on_failure(self._jack_log):
            return self._kill(victim, held)

    def _kill(self, victim: Victim, held: Sequence[Held]) -> Outcome:
        for kind in held:
            self._hold(kind)
        pids = self._pids(victim)
        killed_at = now()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        back_at = None
        while now() < killed_at + NO_LATER_THAN_S:
            back_at = back_at or self._probe(victim, killed_at)
        still = self._still_held(victim, held)
        if victim != "app" and back_at is None:
            back_at = self._wait_until_back(killed_at)
        outcome = Outcome(
            victim,
            tuple(held),
            tuple(still),
            self._released_at(held, killed_at) - killed_at,
            None if back_at is None else back_at - killed_at,
        )
        self._settle(victim, held)
        return outcome

    def _hold(self, kind: Held) -> None:
        self._pads.peer.send(f"90 {CONTROLS[kind]:02x} 64")
        began = now()
        match kind:
            case "key":
                wait_for(lambda: self._keys.down, lambda down: "h" in down)
            case "note":
                wait_for(lambda: self._pads.notes, lambda notes: (2, 50) in notes)
            case "sent":
                wait_for(lambda: self._pads.notes, lambda notes: (0, 60) in notes)
            case "repeat":
                wait_for(lambda: self._presses.pressed_at.get("r", 0), lambda at: at > began)
            case "mode":
                self.conductor.wait_status(lambda status: status["mode"] == "Shift")

    def _pids(self, victim: Victim) -> list[int]:
        if victim == "app":
            return [self.conductor.process.pid]
        if victim == "engine":
            return [self.conductor.engine_pid]
        return [
            pid
            for pid in self.conductor.family()
            if b"Pads:out" in Path(f"/proc/{pid}/cmdline").read_bytes()
        ]

    def _wait_until_back(self, killed_at: float) -> float:
        """Play a pad until its mapping acts again.

        Raises:
            TimeoutError: it never did.
        """
        while now() < killed_at + GIVE_UP_S:
            back_at = self._probe("engine", killed_at)
            if back_at is not None:
                return back_at
        raise TimeoutError(f"no mapping acted again within {GIVE_UP_S:.0f} s")

    def _probe(self, victim: Victim, killed_at: float) -> float | None:
        """Play the pad; return when its mapping acted, if it has since the kill."""
        if victim != "app":
            self._pads.peer.send(f"90 {PROBE:02x} 64")
            self._pads.peer.send(f"80 {PROBE:02x} 00")
        _PAUSE.wait(PROBE_EVERY_S)
        pressed_at = self._presses.pressed_at.get("k", 0)
        return pressed_at if pressed_at > killed_at else None

    def _still_held(self, victim: Victim, held: Sequence[Held]) -> list[str]:
        looked_at = now()
        found = [f"key {name}" for name in sorted(self._keys.down - {"k"})]
        found += [f"note {note} on channel {channel + 1}" for channel, note in self._notes(victim)]
        if "repeat" in held:
            _PAUSE.wait(SEEN_FOR_S)
            if self._presses.pressed_at["r"] > looked_at:
                found.append("repeat")
        if "mode" in held and victim != "app" and self.conductor.status()["mode"] == "Shift":
            found.append("mode Shift")
        return found

    def _notes(self, victim: Victim) -> list[tuple[int, int]]:
        """Return the notes that sound and should not: a port holds only those that it forwards."""
        notes = sorted(self._pads.notes)
        return [note for note in notes if victim != "port" or note != (0, 60)]

    def _released_at(self, held: Sequence[Held], killed_at: float) -> float:
        ends = [killed_at]
        if "key" in held:
            ends.append(self._keys.down_at["h"])
        if "repeat" in held:
            ends.append(self._presses.pressed_at["r"])
        if "note" in held or "sent" in held:
            wait_for(lambda: self._notes("port"), lambda notes: not notes, 90)
            ends.append(self._pads.ended_at)
        return max(ends)

    def _settle(self, victim: Victim, held: Sequence[Held]) -> None:
        """Release the pads, and wait until everything is as it was."""
        if victim == "app":
            with contextlib.suppress(AssertionError):
                self._running.close()
            self.conductor = self._start(None)
        for kind in held:
            self._pads.peer.send(f"80 {CONTROLS[kind]:02x} 00")
        self.conductor.wait_status(lambda status: status["lifecycle_state"] == "Running", 60)
        self.conductor.wait_for_device("pads")
        self.conductor.call("conductor_switch_mode", mode="Default")
        self.conductor.cli("panic")
        wait_for(lambda: self._pads.notes or self._keys.down, lambda left: not left, 60)

    def _start(self, config: str | None) -> RunningConductor:
        self._running = contextlib.ExitStack()
        environment = {"DISPLAY": self._display}
        conductor = self._running.enter_context(
            running_conductor(config, environment=environment, home=self._home, own_process=True)
        )
        conductor.wait_for_device("pads")
        return conductor


@contextlib.contextmanager
def kill_stage(timeout_ms: int = TIMEOUT_MS) -> Generator[KillStage]:
    """Build everything; `timeout_ms` is the JACK server's patience with a client."""
    with (
        jack_server(timeout_ms=timeout_ms) as server,
        x_server() as screen,
        short_home() as home,
    ):
        pads = Sounding("Pads")
        with pads.peer:
            stage = KillStage(screen.display, home, pads, server.log)
            try:
                yield stage
            finally:
                stage.close()

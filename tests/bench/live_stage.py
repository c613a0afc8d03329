"""A real Conductor over JACK with players and listeners around it: the same hands play it again and again."""

import contextlib
import queue
import re
import socket
import subprocess
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from pythonosc.osc_message import OscMessage
from tests.bench.live_changes import RandomChange
from tests.bench.live_configs import CHANNELS, ENCODER, FADER, MODES, PEDAL, RESET, resting_config
from tests.bench.live_hands import JITTER_MS, SETTLE_S, Strike, device_name
from tests.cli.at_the_keys import at_the_keys
from tests.support.jack import MidiPeer, connect, jack_ports, jack_server
from tests.support.running import RunningConductor, running_conductor, wait_for
from tests.support.xserver import KeyWindow, x_server

from conductor.base.clock import now
from conductor.config.parse import parse_config
from conductor.config.render import render_config
from conductor.domain.config import Config
from conductor.domain.events import CONTROL_CLASS, InputEvent
from conductor.domain.recording import Recording
from conductor.runtime.saved_segments import parse_segment_lines
from conductor.storage.recordings import RecordingFiles

LISTENERS = ("Synth", "Monitor")
OWN_OUTPUT = "Conductor Out"
AT_REST_S = 0.8
"""Longer than any limit of a gesture, so that the hands begin with nothing in memory of the last ones."""
RECORDED_WITHIN_S = 5.0
ACTIVE_WITHIN_S = 90.0
"""A busy machine takes long to start the engine."""
_PAUSE = threading.Event()
"""Never set."""


class Arrival(NamedTuple):
    """Something that reached a listener, in ms after the first strike."""

    at_ms: float
    place: str
    what: str


class Played(NamedTuple):
    """What came of the hands once, live."""

    start_s: float
    """When the first strike was played, on the engine's clock."""
    arrivals: list[Arrival]
    recording: Recording
    disturbed: str | None
    """Why this playing does not count: a strike was not played when it should have been."""
    late_ms: float
    """How late the engine judged the event that waited longest."""


class Stage:
    """Plays gestures, reports what arrived, and applies changes in the way a user does."""

    def __init__(self, conductor: RunningConductor, peers: Mapping[str, MidiPeer]) -> None:
        self.conductor = conductor
        self._peers = peers
        self.arrived: list[Arrival] = []
        self._osc = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._osc.bind(("127.0.0.1", 0))
        self.osc_port: int = self._osc.getsockname()[1]
        threading.Thread(target=self._listen_to_osc, name="osc", daemon=True).start()

    def on_arrival(self, place: str, what: str) -> None:
        self.arrived.append(Arrival(now(), place, what))

    def use(self, config: Config) -> None:
        """Save a config, and wait until its devices are heard under their names."""
        text = render_config(config)
        if self.conductor.config_path.read_text() != text:
            self.conductor.write_config(text)
            self.conductor.wait_until_active(text, ACTIVE_WITHIN_S)
        self._wait_for_devices(config)

    def plan(self, change: RandomChange) -> dict[str, Any] | None:
        """Propose a change as an outside agent does; None when no tool makes it."""
        match change.operations:
            case ():
                return None
            case ((tool, arguments),):
                return self.conductor.call(tool, **arguments)
            case several:
                operations = [{"tool": tool, "arguments": arguments} for tool, arguments in several]
                return self.conductor.call("conductor_batch", operations=operations)

    def apply(self, change: RandomChange, plan: dict[str, Any] | None) -> None:
        """Approve a plan at a terminal, or save the file as an editor does."""
        if plan is None:
            self.use(change.new)
            return
        with at_the_keys(
            self.conductor.environment, "plans", "approve", plan["plan_id"], "--yes"
        ) as keys:
            assert keys.ends() == 0, keys.shown
        text = self.conductor.config_path.read_text()
        assert parse_config(text) == change.new, (
            f"{change.kind}: the plan made another config: {text}"
        )
        self.conductor.wait_until_active(text)
        self._wait_for_devices(change.new)

    def start(self, config: Config) -> None:
        """Load a config in the very state in which each playing begins: modes, variables and controls put back.

        That is done under another config, so that the preparation does nothing else.
        """
        resting = parse_config(render_config(Config.model_validate(resting_config())))
        self.use(resting)
        self._switch_mode(MODES[0])
        for peer, channel in CHANNELS.items():
            for controller, value in ((FADER, 0), (PEDAL, 0), (ENCODER, 64)):
                self._send(peer, bytes((0xB0 | channel, controller, value)))
            self._send(peer, bytes((0xE0 | channel, 0, 64)))
            self._send(peer, bytes((0xD0 | channel, 0)))
        self._switch_mode(MODES[1])
        self._switch_mode(MODES[0])
        for status, velocity in ((0x90, 100), (0x80, 0)):
            self._send("Pads", bytes((status | CHANNELS["Pads"], RESET, velocity)))
        _PAUSE.wait(AT_REST_S)
        self.use(config)
        assert self.conductor.status()["mode"] == MODES[0]

    def play(self, config: Config, hands: Sequence[Strike]) -> Played:
        """Play hands, and wait for all that comes of them."""
        self.arrived.clear()
        began = now() + 0.05
        for strike in sorted(hands):
            _PAUSE.wait(max(0.0, began + strike.at_ms / 1000 - now()))
            self._send(strike.peer, strike.message)
        _PAUSE.wait(SETTLE_S)
        arrivals = list(self.arrived)
        return self._played(config, sorted(hands), began, arrivals)

    def recording(self) -> Recording:
        """Return everything that is in the files of the recording."""
        files = RecordingFiles(self.conductor.home / "recording")
        found = [parse_segment_lines(files.read_lines(name)) for name in files.list_file_names()]
        return Recording(tuple(one[0].build_segment() for one in found if one is not None))

    def switch_mode(self, mode: str) -> None:
        """Choose a mode when it is not active."""
        if self.conductor.status()["mode"] != mode:
            self._switch_mode(mode)

    def _switch_mode(self, mode: str) -> None:
        self.conductor.call("conductor_switch_mode", mode=mode)

    def _send(self, peer: str, message: bytes) -> None:
        self._peers[peer].send(message)

    def _wait_for_devices(self, config: Config) -> None:
        """Wait until the inputs of the players, and our own output, are as the config says."""
        wanted = {device_name(config, peer) for peer in CHANNELS} - {None}
        others = {f"raw:{peer}:out" for peer in CHANNELS} | {"pads", "keys", "renamed", "better"}

        def are_there(status: dict[str, Any]) -> bool:
            rows = [row for row in status["devices"] if row["kind"] == "midi_input"]
            names = {row["device_id"] for row in rows if row["connected"]}
            return names & others == wanted

        self.conductor.wait_status(are_there)
        own = config.settings.engine.virtual_output
        ports = wait_for(jack_ports, lambda names: own in ("", *map(_after_client, names)))
        if own == OWN_OUTPUT:
            source = next(name for name in ports if _after_client(name) == own)
            with contextlib.suppress(subprocess.CalledProcessError):  # it is connected already
                connect(source, "Monitor In:in")

    def _listen_to_osc(self) -> None:
        while True:
            try:
                message = OscMessage(self._osc.recv(4096))
            except OSError:
                return
            what = f"{message.address} {[_rounded(one) for one in message.params]}"
            self.on_arrival("OSC", what)

    def close(self) -> None:
        self._osc.close()

    def _played(
        self, config: Config, hands: Sequence[Strike], began: float, arrivals: list[Arrival]
    ) -> Played:
        wanted = {peer: device_name(config, peer) for peer in CHANNELS}
        heard = [one for one in hands if wanted[one.peer] is not None]
        recording = self._recorded(len(heard), set(wanted.values()))
        entries = [
            (entry.time, entry.input)
            for segment in recording.segments
            for entry in segment.entries
            if isinstance(entry.input, InputEvent) and entry.input.kind in CONTROL_CLASS
        ]
        gaps_ms: list[float] = []
        disturbed: str | None = None
        for peer, device in wanted.items():
            planned = [one.at_ms for one in heard if one.peer == peer]
            stamps = sorted(event.time for _, event in entries if event.device == device)
            if len(stamps) != len(planned):
                disturbed = f"{len(stamps)} of {len(planned)} messages of {peer} were recorded"
            pairs = zip(stamps, planned, strict=False)
            gaps_ms += [(stamp - began) * 1000 - at_ms for stamp, at_ms in pairs]
        offset_ms = median(gaps_ms) if gaps_ms else 0.0
        worst_ms = max((abs(gap - offset_ms) for gap in gaps_ms), default=0.0)
        if worst_ms > JITTER_MS and disturbed is None:
            disturbed = f"a message came {worst_ms:.0f} ms from where it should"
        start_s = began + offset_ms / 1000
        return Played(
            start_s,
            [one._replace(at_ms=(one.at_ms - start_s) * 1000) for one in arrivals],
            recording,
            disturbed,
            max((time - event.time for time, event in entries), default=0.0) * 1000,
        )

    def _recorded(self, events: int, devices: set[str | None]) -> Recording:
        """Return what was recorded since the last load, once all events are in the files."""

        def is_whole(recording: Recording) -> bool:
            entries = [entry for one in recording.segments for entry in one.entries]
            inputs = [one.input for one in entries if isinstance(one.input, InputEvent)]
            ours = [e for e in inputs if e.kind in CONTROL_CLASS and e.device in devices]
            return len(ours) >= events

        def read() -> Recording:
            return since_load(self.recording())

        with contextlib.suppress(TimeoutError):
            return wait_for(read, is_whole, RECORDED_WITHIN_S)
        return read()


def since_load(recording: Recording) -> Recording:
    """Return the part of a recording since a config was loaded last."""
    segments = recording.segments
    loads = [at for at, one in enumerate(segments) if one.is_loaded]
    return Recording(segments[loads[-1] :] if loads else segments)


class TypedKeys:
    """Passes on each key that a window on the X server gets, on a thread of its own."""

    def __init__(self, display: str, on_arrival: Callable[[str, str], None]) -> None:
        self._window = KeyWindow(display)
        self._window.__enter__()
        self._on_arrival = on_arrival
        self._stopping = threading.Event()
        threading.Thread(target=self._run, name="typed keys", daemon=True).start()

    def close(self) -> None:
        self._stopping.set()
        self._window.__exit__()

    def _run(self) -> None:
        while not self._stopping.is_set():
            with contextlib.suppress(queue.Empty):
                key = self._window.next_key()
                if key.pressed:
                    self._on_arrival("keyboard", key.name)


def _after_client(port: str) -> str:
    return port.partition(":")[2]


def _rounded(argument: object) -> object:
    return round(argument, 4) if isinstance(argument, float) else argument


def listeners_of(target: dict[str, Any], config: Config) -> str | None:
    """Return which listener hears what is sent to a target of `effects.midi_target`."""
    del config
    match target:
        case {"virtual_output": name}:
            return "Monitor" if name == OWN_OUTPUT else None
        case {"port": port}:
            names = [*CHANNELS, *LISTENERS]
            return next(
                (one for one in names if port.casefold() in f"{one} In:in".casefold()), None
            )
        case {"matchers": matchers}:
            names = [*CHANNELS, *LISTENERS]
            return next((one for one in names if _fits(matchers, f"{one} In:in")), None)
        case _:
            return None


def _fits(matchers: Sequence[dict[str, Any]], port: str) -> bool:
    return any(
        one["pattern"].casefold() in port.casefold()
        if one["type"] == "NameContains"
        else re.fullmatch(re.escape(one["pattern"]), port) is not None
        for one in matchers
    )


@contextlib.contextmanager
def live_stage() -> Generator[Stage]:
    """Start everything: a JACK server, the peers, and a Conductor without a window."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(jack_server())
        screen = stack.enter_context(x_server())
        peers: dict[str, MidiPeer] = {}
        stage: list[Stage] = []

        def listen(peer: str) -> MidiPeer:
            return MidiPeer(peer, lambda what: [one.on_arrival(peer, what) for one in stage])

        for name in (*CHANNELS, *LISTENERS):
            peers[name] = stack.enter_context(listen(name))
        environment = {"DISPLAY": screen.display}
        conductor = stack.enter_context(
            running_conductor("", environment=environment, own_process=True)
        )
        stage.append(Stage(conductor, peers))
        stack.callback(stage[0].close)
        keys = TypedKeys(screen.display, stage[0].on_arrival)
        stack.callback(keys.close)
        yield stage[0]

"""Loads configs into the engine, and keeps track of the config that the engine runs."""

import logging
from collections.abc import Callable

from conductor.base.clock import now
from conductor.domain.config import Config
from conductor.domain.engine_protocol import ConfigLoaded, ConfigLoadFailed, FromEngine
from conductor.domain.trace import Trace
from conductor.engine import step
from conductor.engine.behaviour_comparison import has_same_behaviour
from conductor.engine.engine import EngineCall
from conductor.engine.state import EngineState
from conductor.engine.table import compile_table
from conductor.runtime.engine_recording import EngineRecording

log = logging.getLogger(__name__)


class ConfigLoader:
    """Compiles a config in the thread of the link, and activates it in the engine's thread."""

    def __init__(self, emit: Callable[[FromEngine], None], recording: EngineRecording) -> None:
        self._emit = emit
        self._recording = recording
        self._loaded: Config | None = None
        """The config that the engine runs; None while no config is loaded. Only the
        engine's thread changes it."""

    def prepare_activation(self, config: Config, token: int, config_id: str) -> EngineCall:
        """Return a function for the engine's thread that activates a config and replies to the app.

        The config is compiled before this method returns, unless it behaves like the running config.
        """
        current = self._loaded
        is_same = current is not None and has_same_behaviour(current, config)
        # Compiled here, in the thread of the link, because compiling would block the engine's thread.
        table = None if is_same else compile_table(config)

        def activate_config(state: EngineState) -> Trace | None:
            try:
                # Another config may have been loaded after the comparison above.
                is_stale = is_same and self._loaded is not current
                new = compile_table(config) if is_stale else table
                # if loading fails halfway, neither the old nor the new config is loaded
                self._loaded = None
                self._recording.configure(config, config_id, is_equivalent=new is None)
                trace = None if new is None else step.load_table(state, new, now())
                self._loaded = config
            except Exception as error:
                # The app must learn that the config it shows is not active.
                log.exception("the config could not be loaded")
                self._emit(ConfigLoadFailed(token, str(error)))
                return None
            self._emit(ConfigLoaded(token, state.table.size, state.mode))
            return trace

        return activate_config

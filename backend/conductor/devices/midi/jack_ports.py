"""Lists the MIDI ports of JACK without taking part in its process cycles.

rtmidi activates its clients even if they only list ports. An active client wakes in every cycle, and stops a
synchronous server when it dies; a client that is never activated does neither. This module uses the JACK
library that rtmidi has loaded.
"""

import ctypes
from pathlib import Path
from typing import Any

MIDI_PORT_TYPE = b"8 bit raw midi"
PORT_IS_INPUT, PORT_IS_OUTPUT = 1, 2
OPTION_NO_START_SERVER = 1
PROCESS_MEMORY_MAPS = Path("/proc/self/maps")
_ShutdownCallback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class JackPorts:
    """A JACK client that only lists ports. An output of JACK is an input of Conductor, and vice versa.

    Raises:
        OSError: the JACK library cannot be loaded, or the server refuses the client.
    """

    def __init__(self, client_name: str) -> None:
        self._library = _load_jack_library()
        status = ctypes.c_int()
        self._client: int | None = self._library.jack_client_open(
            client_name.encode(), OPTION_NO_START_SERVER, ctypes.byref(status)
        )
        if not self._client:
            raise OSError(f"the JACK server refused a client (status {status.value:#x})")
        self._is_connected = True
        self._on_shutdown = _ShutdownCallback(self._disconnect)
        self._library.jack_on_shutdown(self._client, self._on_shutdown, None)

    def is_connected(self) -> bool:
        """Return whether the JACK server has run without an end since the client was opened.

        libjack reports the end of a server, also of a killed one, within some milliseconds.
        """
        return self._is_connected

    def list_inputs(self) -> list[str]:
        """Return the names of the JACK ports that Conductor can receive from."""
        return self._list_port_names(PORT_IS_OUTPUT)

    def list_outputs(self) -> list[str]:
        """Return the names of the JACK ports that Conductor can send to."""
        return self._list_port_names(PORT_IS_INPUT)

    def close(self) -> None:
        """Close the client. Must not be called after the JACK server has died."""
        client, self._client = self._client, None
        if client:
            self._library.jack_client_close(client)

    def _disconnect(self, _: int | None) -> None:
        """Remember that the server has ended. A thread of libjack calls this."""
        self._is_connected = False

    def _list_port_names(self, flags: int) -> list[str]:
        found = self._library.jack_get_ports(self._client, None, MIDI_PORT_TYPE, flags)
        if not found:
            return []
        names: list[str] = []
        for name in found:
            if name is None:
                break
            names.append(name.decode(errors="replace"))
        self._library.jack_free(found)
        return names


def _load_jack_library() -> Any:
    """Return the JACK library that rtmidi has loaded into this process.

    Raises:
        OSError: rtmidi has loaded no JACK library.
    """
    paths = (line.partition("/")[2] for line in PROCESS_MEMORY_MAPS.read_text().splitlines())
    found = {f"/{path}" for path in paths if Path(path).name.startswith("libjack")}
    if not found:
        raise OSError("rtmidi has not loaded a JACK library")
    # If the library of a wheel, with a hash in its name, is loaded too, the system's library is in use.
    library: Any = ctypes.CDLL(min(found, key=lambda path: "/libjack.so" not in path))
    library.jack_client_open.restype = ctypes.c_void_p
    library.jack_get_ports.restype = ctypes.POINTER(ctypes.c_char_p)
    library.jack_get_ports.argtypes = (
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_ulong,
    )
    library.jack_on_shutdown.argtypes = (ctypes.c_void_p, _ShutdownCallback, ctypes.c_void_p)
    library.jack_client_close.argtypes = (ctypes.c_void_p,)
    library.jack_free.argtypes = (ctypes.c_void_p,)
    return library

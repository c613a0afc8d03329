# pyright: reportMissingImports=false
"""The benchmark's job in mididings: each note of each channel becomes the CC of its number."""

import sys

from mididings import (  # type: ignore[import-not-found]
    EVENT_VELOCITY,
    NOTEON,
    ChannelSplit,
    Ctrl,
    Filter,
    KeySplit,
    config,
    run,
)


def main(backend: str, channels: int) -> None:
    config(backend=backend, client_name="mididings", in_ports=["in"], out_ports=["out"])
    keys = KeySplit({(note, note + 1): Ctrl(note, EVENT_VELOCITY) for note in range(128)})
    run(Filter(NOTEON) >> ChannelSplit({channel + 1: keys for channel in range(channels)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

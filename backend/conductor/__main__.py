"""`python -m conductor`: runs the command line, a child process of Conductor, or the stdio proxy for agents."""

import gc
import os
import sys
from functools import partial

from conductor.base.process_end import run_program

GC_THRESHOLDS = (50_000, 10, 10)
"""With Python's own (700, 10, 10), a fifth of the time of importing the app is spent looking for garbage."""


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit code.

    Without `argv`, the arguments of this process are used, and the process ends with the exit code.
    """
    if argv is None:
        gc.set_threshold(*GC_THRESHOLDS)
        _open_missing_streams()
        return run_program(partial(main, sys.argv[1:]))
    try:
        return _run(argv)
    except KeyboardInterrupt:  # also raised while the command is still being imported
        return 130


def _open_missing_streams() -> None:
    """Open the standard streams that a Windows program without a console lacks, so that `print` works."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115


def _run(arguments: list[str]) -> int:
    if arguments[:1] in (["--engine-process"], ["--port-process"], ["--outputs-process"]):
        from conductor.base.realtime import STARTING_PRIORITY, request_real_time

        # before the imports, because a user who plays is waiting for an engine or a port that was
        # killed
        request_real_time(STARTING_PRIORITY)
    if arguments[:1] == ["--port-process"]:
        from conductor.devices.midi.port_process import main as port_main

        return port_main(arguments[1:]) or 0
    if arguments[:1] == ["--outputs-process"]:
        from conductor.devices.midi.output_process import main as outputs_main

        return outputs_main()
    if arguments[:1] == ["--engine-process"]:
        from conductor.runtime.process import main as engine_main

        return engine_main(arguments[1:])
    if arguments[:1] == ["--window-process"]:
        from conductor.window.process import main as window_main

        return window_main(arguments[1:])
    if arguments[:1] == ["--vectors-process"]:
        from conductor.knowledge.chroma_process import main as vectors_main

        return vectors_main(arguments[1:])
    if arguments[:1] == ["--voice-process"]:
        from conductor.voice.process import main as voice_main

        return voice_main(arguments[1:])
    if arguments[:1] == ["--manuals-process"]:
        from conductor.knowledge.manuals.index_process import main as manuals_main

        return manuals_main(arguments[1:])
    if arguments[:1] == ["--extract-process"]:
        from conductor.capabilities.extract_process import main as extract_main

        return extract_main(arguments[1:])
    if arguments[:1] == ["--server-process"]:
        from conductor.mcp.client.reaper import main as reaper_main

        return reaper_main(arguments[1:])
    if arguments[:1] == ["mcp"] and arguments[1:] in ([], ["--no-start"]):
        from conductor.mcp.server.stdio_proxy import main as proxy_main

        return proxy_main(arguments[1:])
    from conductor.cli.main import main as cli_main

    return cli_main(arguments)


if __name__ == "__main__":
    sys.exit(main())

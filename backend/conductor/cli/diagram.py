"""`conductor diagram`: draws the modes and mappings of a config as an SVG file."""

import argparse
from pathlib import Path

from conductor.base.atomic import write_atomic
from conductor.base.paths import get_home_folder
from conductor.capabilities.config_diagram import draw_config
from conductor.cli.config_file import read_config
from conductor.errors import InvalidParams, NotAllowed, NotAvailable

SVG_START = b"<svg "


def run(args: argparse.Namespace) -> int:
    """Draw a config file into an SVG file. Return the exit code. Conductor need not be running."""
    if args.file.suffix.lower() != ".svg":
        raise InvalidParams(f"the picture is an SVG file: call it {args.file.with_suffix('.svg')}")
    config = read_config(args.config or get_home_folder() / "config.toml")
    picture = draw_config(config.model_dump(mode="json", exclude_none=True))
    target: Path = args.file
    if not target.absolute().parent.is_dir():
        raise NotAvailable(f"there is no folder {target.parent}; create it or choose another one")
    try:
        if target.exists() and not target.read_bytes().startswith(SVG_START):
            raise NotAllowed(f"{target} exists and is no SVG picture; choose another name")
        write_atomic(target.absolute(), picture.encode())
    except OSError as error:
        raise NotAvailable(f"{target} cannot be written: {error.strerror}") from error
    print(f"Wrote {target}")
    return 0

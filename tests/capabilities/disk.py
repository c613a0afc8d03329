"""A granted folder, one that is not, and Conductor's home, on a real disk, with what reads them."""

import asyncio
from pathlib import Path

from conductor.capabilities.files import Files, FileText
from conductor.devices.midi.summary import describe_midi_file


class Disk:
    """What a test reads from."""

    def __init__(self, root: Path) -> None:
        self.granted, self.other, self.home = (root / name for name in ("music", "other", "home"))
        for folder in (self.granted, self.other, self.home):
            folder.mkdir()
        (self.other / "diary.txt").write_text("secret of the diary")
        self.folders: tuple[str, ...] = (str(self.granted),)
        self.files = Files(lambda: self.folders, self.home, describe_midi_file)

    def write(self, name: str, content: str | bytes) -> str:
        path = self.granted / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    def read(self, path: str | Path, start: int = 0, find: str = "") -> FileText:
        return asyncio.run(self.files.read(str(path), start, find))

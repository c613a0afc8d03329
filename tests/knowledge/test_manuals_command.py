"""`conductor knowledge add`, `list` and `remove` at the terminal, with no Conductor running."""

import json
from pathlib import Path

from tests.knowledge.test_command import knowledge
from tests.support.manual_files import write_locked, write_minitaur


def test_manuals_are_added_listed_searched_and_removed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    good, locked = write_minitaur(tmp_path / "minitaur.pdf"), tmp_path / "locked.pdf"
    write_locked(locked)
    done = knowledge(home, "add", str(good), str(locked), str(tmp_path / "photo.png"), "--json")
    assert done.returncode == 1
    assert "photo.png is no PDF" in done.stderr
    assert "locked.pdf cannot be indexed: it is locked with a password" in done.stderr
    states = {one["file_name"]: one["state"] for one in json.loads(done.stdout)["manuals"]}
    assert states == {"minitaur.pdf": "ready", "locked.pdf": "failed"}
    listed = knowledge(home, "list").stdout
    assert "manual/minitaur" in listed
    assert "4 pages" in listed
    assert "44 parameters" in listed
    found = knowledge(home, "search", "filter", "cutoff", "of", "the", "Minitaur", "-k", "1").stdout
    assert "Filter cutoff: CC 19" in found
    assert "Minitaur, page 2" in found
    assert "Removed Minitaur." in knowledge(home, "remove", "minitaur.pdf").stdout
    assert "manual/minitaur" not in knowledge(home, "list").stdout

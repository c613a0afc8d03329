"""Installing: from everywhere, whole or not at all, with a note of where it came from."""

import http.server
import json
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.skills.making import good, lay, tarred, zipped

from conductor.errors import BadSkill, NotAllowed, NotAvailable, UnknownSkill
from conductor.skills import install as installing
from conductor.skills import library as shelving
from conductor.skills.download import parse_github_source
from conductor.skills.install import (
    CheckedSkill,
    fetch_skill,
    install_skill,
    remove_skill,
    write_skill,
)
from conductor.skills.library import SkillLibrary
from conductor.skills.provenance import read_provenance
from conductor.skills.targets import SkillsTarget, find_skills_folder
from conductor.skills.tree import SkillFiles, read_skill_folder

REPOSITORY = {
    f"skills-main/{path}": content
    for path, content in {
        "README.md": b"hello",
        "program.bin": b"\0\1\2",
        **{f"lights/{path}": content for path, content in good().items()},
    }.items()
}


class Served(http.server.BaseHTTPRequestHandler):
    """Answers as the download server of GitHub does."""

    def do_GET(self) -> None:
        status, body = 404, b""
        if self.path == "/owner/skills/tar.gz/HEAD":
            status, body = 200, tarred(REPOSITORY)
        elif self.path == "/owner/moved/tar.gz/HEAD":
            status = 302
        self.send_response(status)
        self.send_header("Location", "http://127.0.0.1:1/elsewhere")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: Any, **_more: Any) -> None:
        pass


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Served) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setenv("CONDUCTOR_GITHUB_URL", url)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        yield url
        server.shutdown()
        thread.join()


def test_a_bundled_skill_is_installed_by_its_name(tmp_path: Path):
    written = install_skill(fetch_skill("conductor-midi-learn"), tmp_path)
    assert written.folder == tmp_path / "skills" / "conductor-midi-learn"
    assert read_skill_folder(written.folder) == fetch_skill("conductor-midi-learn").files
    assert SkillLibrary(tmp_path).get_skill("conductor-midi-learn").origin == "conductor"


NESTED = {f"some-name/{path}": text for path, text in good().items()}
SOURCES = {
    "stage-lighting": good(),
    "stage-lighting/SKILL.md": good(),
    "a.zip": zipped(good()),
    "nested.zip": zipped(NESTED),
    "nested.tar.gz": tarred(NESTED),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_skill_is_installed_from_a_folder_or_an_archive(name: str, tmp_path: Path):
    source, content = tmp_path / "from" / name, SOURCES[name]
    if isinstance(content, bytes):
        lay(source.parent, {source.name: content})
    else:
        lay(tmp_path / "from" / "stage-lighting", content)
    written = install_skill(fetch_skill(str(source)), tmp_path / "home")
    assert written.folder.name == "stage-lighting"
    assert read_skill_folder(written.folder) == good()
    noted = read_provenance(tmp_path / "home" / "skills", "stage-lighting")
    assert str(tmp_path) in noted["source"]
    assert noted["digest"].startswith("sha256:")


def test_a_skill_is_installed_from_a_folder_of_a_repository(github: str, tmp_path: Path):
    written = install_skill(fetch_skill("github:owner/skills/lights"), tmp_path)
    assert read_skill_folder(written.folder) == good()
    assert (
        read_provenance(tmp_path / "skills", "stage-lighting")["source"]
        == "github:owner/skills/lights"
    )


def test_what_is_not_there_or_elsewhere_is_an_error_that_says_so(github: str):
    with pytest.raises(UnknownSkill, match="check the owner"):
        fetch_skill("github:owner/nothing")
    with pytest.raises(BadSkill, match="name the folder"):
        fetch_skill("github:owner/skills")
    with pytest.raises(NotAvailable, match="answers 302"):
        fetch_skill("github:owner/moved")
    with pytest.raises(UnknownSkill, match="conductor skills list"):
        fetch_skill("no-such-skill")


def test_only_https_is_taken_but_for_this_computer(monkeypatch: pytest.MonkeyPatch):
    for url in (
        "http://example.com",
        "file:///etc",
        "ftp://127.0.0.1",
        "http://127.0.0.1.example.com",
    ):
        monkeypatch.setenv("CONDUCTOR_GITHUB_URL", url)
        with pytest.raises(NotAvailable, match="https"):
            fetch_skill("github:owner/skills/lights")


@pytest.mark.parametrize(
    "source",
    ["github:owner", "github:../x/y", "github:o/..", "github:o/n/../../x", "github:o/n/p@../x", "github:o/n?x=1", "github:o/n/a\nb"],
)  # fmt: skip
def test_a_source_that_is_written_wrongly_is_refused(source: str):
    with pytest.raises(BadSkill):
        parse_github_source(source)


def test_a_ref_is_part_of_the_address():
    assert (
        parse_github_source("github:o/n/a/b@v1.2").build_archive_url().endswith("/o/n/tar.gz/v1.2")
    )
    assert parse_github_source("github:o/n/a/b@v1.2").path == "a/b"


def test_the_same_again_changes_nothing_and_a_newer_one_of_the_same_source_replaces(tmp_path: Path):
    source = lay(tmp_path / "from" / "stage-lighting", good())
    assert install_skill(fetch_skill(str(source)), tmp_path).changed
    assert not install_skill(fetch_skill(str(source)), tmp_path).changed
    lay(source, {"references/MORE.md": b"more\n"})
    written = install_skill(fetch_skill(str(source)), tmp_path)
    assert "references/MORE.md" in read_skill_folder(written.folder)


def test_what_the_user_edited_is_replaced_only_when_asked_for(tmp_path: Path):
    source = lay(tmp_path / "from" / "stage-lighting", good())
    written = install_skill(fetch_skill(str(source)), tmp_path)
    lay(written.folder, {"references/MINE.md": b"mine\n"})
    lay(source, {"references/MORE.md": b"more\n"})
    with pytest.raises(NotAllowed, match="--replace"):
        install_skill(fetch_skill(str(source)), tmp_path)
    assert "references/MINE.md" in read_skill_folder(written.folder)
    install_skill(fetch_skill(str(source)), tmp_path, replace=True)
    assert "references/MINE.md" not in read_skill_folder(written.folder)


def test_an_install_that_fails_half_way_leaves_what_was_there(tmp_path: Path):
    source = lay(tmp_path / "from" / "stage-lighting", good())
    written = install_skill(fetch_skill(str(source)), tmp_path)
    broken = CheckedSkill("stage-lighting", "x", good() | {"a.md": b"", "a.md/b.md": b""})
    with pytest.raises(OSError, match=r"a\.md"):
        install_skill(broken, tmp_path, replace=True)
    assert read_skill_folder(written.folder) == good()
    left = sorted(path.name for path in (tmp_path / "skills").iterdir())
    assert left == [".installed", "stage-lighting"]


def test_an_edited_copy_of_a_bundled_skill_counts_as_the_users(tmp_path: Path):
    written = install_skill(fetch_skill("conductor-midi-learn"), tmp_path)
    with (written.folder / "SKILL.md").open("a") as file:
        file.write("\nAlso greet me.\n")
    library = SkillLibrary(tmp_path)
    assert library.get_skill("conductor-midi-learn").origin == "user"
    assert "Also greet me." in library.render_content("conductor-midi-learn")


def test_a_copy_of_a_bundled_skill_is_read_whole_once_until_a_file_of_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    written = install_skill(fetch_skill("conductor-midi-mapping"), tmp_path)
    library = SkillLibrary(tmp_path)
    reads: list[Path] = []

    def counted(folder: Path) -> SkillFiles:
        reads.append(folder)
        return read_skill_folder(folder)

    monkeypatch.setattr(shelving, "read_skill_folder", counted)
    for _ in range(5):
        assert library.get_skill("conductor-midi-mapping").origin == "conductor"
    assert reads.count(written.folder) == 1
    with (written.folder / "references" / "TRIGGERS.md").open("a") as file:
        file.write("mine")
    assert library.get_skill("conductor-midi-mapping").origin == "user"
    assert reads.count(written.folder) == 2


def test_an_older_copy_of_a_bundled_skill_gives_way_to_the_newer_one(tmp_path: Path):
    shelf = tmp_path / "skills"
    lay(shelf / "conductor-midi-learn", good("conductor-midi-learn"))
    digest = installing.hash_skill_files(read_skill_folder(shelf / "conductor-midi-learn"))
    lay(shelf, {".installed/conductor-midi-learn.json": json.dumps({"digest": digest}).encode()})
    assert SkillLibrary(tmp_path).get_skill("conductor-midi-learn").origin == "conductor"


def test_removing_deletes_the_skill_and_its_note(tmp_path: Path):
    written = install_skill(fetch_skill("conductor-midi-learn"), tmp_path)
    remove_skill("conductor-midi-learn", tmp_path / "skills")
    assert not written.folder.exists()
    assert read_provenance(tmp_path / "skills", "conductor-midi-learn") == {}
    for name in ("conductor-midi-learn", "../skills", "", ".installed", "/etc"):
        with pytest.raises(UnknownSkill):
            remove_skill(name, tmp_path / "skills")


def test_the_folder_of_copilot_follows_its_own_variable(tmp_path: Path):
    home = {"HOME": str(tmp_path)}
    assert find_skills_folder("copilot", home) == tmp_path / ".copilot" / "skills"
    moved = find_skills_folder("copilot", {**home, "COPILOT_HOME": str(tmp_path / "elsewhere")})
    assert moved == tmp_path / "elsewhere" / "skills"


@pytest.mark.parametrize("target", get_args(SkillsTarget))
def test_a_skill_is_copied_into_the_folder_of_another_agent(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    shelf = find_skills_folder(target, {"HOME": str(tmp_path / "user")})  # pyright: ignore[reportArgumentType]
    written = write_skill(fetch_skill("conductor-midi-mapping"), shelf)
    assert written.folder.is_relative_to(tmp_path)
    assert read_skill_folder(written.folder) == fetch_skill("conductor-midi-mapping").files

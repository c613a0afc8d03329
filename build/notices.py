"""Collects the licences of everything in the package, for the notice file that their terms ask for."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

_LICENCE_FILE = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|COPYRIGHT)[\w.-]*$", re.IGNORECASE)
_IMPORT = re.compile(r"""(?:from|import)\s*\(?["'](@[\w.-]+/[\w.-]+|[a-z][\w.-]*)""")
_HEADER = "Conductor is under the Apache License 2.0. It contains the following software of others."


def build_notices(packaged: Iterable[str], node_modules: Path, page_packages: Iterable[str]) -> str:
    """Return the text of the notice file.

    `packaged` holds the files from which the package is made, and `page_packages` the names of the Node
    packages in the page.
    """
    files = {str(Path(file).resolve()) for file in packaged}
    parts = [_HEADER, *_describe_python(), *_describe_distributions(files)]
    parts += _describe_node_packages(node_modules, page_packages)
    parts += _describe_system_libraries(files)
    rule = "\n\n" + "=" * 100 + "\n\n"
    return rule.join(parts) + "\n"


def find_page_packages(frontend: Path, node_modules: Path) -> set[str]:
    """Return the Node packages that the page imports, with everything that these depend on."""
    found: set[str] = set()
    waiting = {
        name
        for source in (frontend / "src").rglob("*")
        if source.suffix in (".ts", ".svelte", ".js", ".css")
        for name in _IMPORT.findall(source.read_text("utf-8"))
    }
    while waiting:
        name = waiting.pop()
        manifest = node_modules / name / "package.json"
        if name not in found and manifest.is_file():
            found.add(name)
            waiting |= set(json.loads(manifest.read_text("utf-8")).get("dependencies", {}))
    return found


def _describe_python() -> Iterator[str]:
    texts = [Path(sys.base_prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}")]
    found = _read_licences([file for place in texts for file in place.glob("LICENSE*")])
    yield "\n\n".join([f"Python {sys.version.split()[0]}: PSF-2.0", *found])


def _describe_distributions(files: set[str]) -> Iterator[str]:
    known = sorted(distributions(), key=lambda one: one.name.lower())
    for distribution in known:
        own = [Path(str(distribution.locate_file(file))) for file in distribution.files or ()]
        if any(str(file.resolve()) in files for file in own if file.suffix != ".txt"):
            licences = [file for file in own if _LICENCE_FILE.search(file.name)]
            title = f"{distribution.name} {distribution.version}: {_name_licence(distribution)}"
            yield "\n\n".join([title, *_read_licences(licences)])


def _name_licence(distribution: Distribution) -> str:
    facts = distribution.metadata
    expression, licence, classifiers = (
        facts.get_all(field) or [] for field in ("License-Expression", "License", "Classifier")
    )
    for named in (*expression, *licence):
        return str(named).strip().split("\n")[0]
    classified = [
        line.rsplit(" :: ", 1)[1] for line in classifiers if line.startswith("License ::")
    ]
    return ", ".join(classified) or "see its home page"


def _describe_node_packages(node_modules: Path, names: Iterable[str]) -> Iterator[str]:
    for name in sorted(names):
        place = node_modules / name
        licences = [file for file in sorted(place.glob("*")) if _LICENCE_FILE.search(file.name)]
        yield "\n\n".join([f"{name} (in the page)", *_read_licences(licences)])


def _describe_system_libraries(files: set[str]) -> Iterator[str]:
    """Yield the copyright files of the Debian packages from which libraries were taken."""
    libraries = sorted(file for file in files if file.startswith("/usr/lib/"))
    # dpkg knows libraries by the path that their package names, which may begin with /lib
    spellings = [path for file in libraries for path in (file, file.removeprefix("/usr"))]
    try:
        asked = subprocess.run(
            ["dpkg", "-S", *spellings], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return
    owners = {
        path.strip(): packages.split(":")[0]
        for packages, _, path in (line.partition(": ") for line in asked.stdout.splitlines())
    }
    unowned = [file for file in libraries if not {file, file.removeprefix("/usr")} & owners.keys()]
    if unowned:
        raise LookupError(
            f"no Debian package has {', '.join(unowned)}, so their licence is unknown"
        )
    for package in sorted(set(owners.values())):
        copyright_file = Path("/usr/share/doc", package, "copyright")
        yield "\n\n".join([f"{package} (a library of Debian)", *_read_licences([copyright_file])])


def _read_licences(files: Iterable[Path]) -> list[str]:
    texts = (file.read_text("utf-8", "replace").strip() for file in files if file.is_file())
    return list(dict.fromkeys(texts))

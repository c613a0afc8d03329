"""Finds the risks in the entry of a server that the user should know before starting it."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from conductor.base.invisible_chars import has_hidden
from conductor.base.loopback import is_loopback_host
from conductor.mcp.registry.entry import ServerEntry, find_variable_references

ROOT_COMMANDS = ("sudo", "doas", "pkexec", "su", "runas", "gsudo")
DELETE_COMMANDS = ("rm", "rmdir", "shred", "dd", "mkfs", "wipe", "srm", "del", "format")
SHELL_COMMANDS = ("sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "cmd", "powershell", "pwsh")
SHELL_COMMAND_OPTIONS = ("-c", "/c", "/k", "-command", "-encodedcommand", "-e", "-enc")
SCRIPT_INTERPRETERS = ("python", "python3", "node", "perl", "ruby", "php", "deno", "bun")
INLINE_CODE_OPTIONS = ("-c", "-e", "--eval", "-p", "--print", "-r", "-E", "eval")
WRAPPER_COMMANDS = (
    "env",
    "nohup",
    "nice",
    "ionice",
    "time",
    "timeout",
    "stdbuf",
    "setsid",
    "xvfb-run",
)
_DOWNLOADERS = r"\b(curl|wget|fetch|iwr|invoke-webrequest)\b"
DOWNLOAD_AND_RUN_PATTERN = re.compile(
    rf"{_DOWNLOADERS}[^|;&]*\|\s*(sudo\s+)?\S*(sh|python3?|node|iex)\b|(<\(|\$\(|`)\s*{_DOWNLOADERS}",
    re.I,
)
CODE_INJECTION_VARIABLES = re.compile(
    r"LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|NODE_OPTIONS|NODE_PATH|PYTHONPATH|PYTHONHOME"
    r"|PYTHONSTARTUP|BASH_ENV|ENV|PATH|PERL5(OPT|LIB)|RUBY(OPT|LIB)|GIT_SSH_COMMAND|npm_config_\w+",
)
SECRET_NAME_PATTERN = re.compile(
    r"key|token|secret|passw|passphrase|auth|credential|bearer|cookie|\bpat\b|_pat$|\bpwd\b", re.I
)
_VERSION_PATTERN = re.compile(r"v?\d+(\.\d+)*([-+.\w]*)")
_COMMIT_PATTERN = re.compile(r"[0-9a-f]{7,64}")
_UNPINNED_WARNING = (
    "fetches and runs the newest version of {0} from the internet; {0}@VERSION would pin it"
)


def find_entry_warnings(
    entry: ServerEntry, environment: Mapping[str, str] = os.environ
) -> list[str]:
    """Return the warnings about the entry of a server, the most serious first."""
    if entry.transport == "http":
        return list(_check_address(entry))
    found = [
        *_check_program([entry.command, *entry.args]),
        *_check_environment_variables(entry.env),
    ]
    return [*found, *_check_file_permissions(entry, environment), *_check_characters(entry)]


def find_program(entry: ServerEntry, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the path of the program that a server runs.

    Return None if it is not found, or if the command contains a `${...}` reference.
    """
    if entry.transport == "http" or find_variable_references(entry.command):
        return None
    command = expand_home(entry.command)
    if re.search(r"[\\/]", command) and not Path(command).is_absolute():
        command = str(Path(expand_home(entry.cwd or "~"), command))
    path = entry.env.get("PATH")
    return shutil.which(
        command,
        path=path if path and not find_variable_references(path) else environment.get("PATH"),
    )


def expand_home(path: str) -> str:
    """Return a path in which `~` is replaced by the home folder."""
    return str(Path.home()) + path[1:] if path == "~" or path.startswith(("~/", "~\\")) else path


def is_secret_name(name: str) -> bool:
    """Return whether the name of a variable or field suggests that its value is a secret."""
    return SECRET_NAME_PATTERN.search(name) is not None


def _check_program(argv: Sequence[str]) -> Iterator[str]:
    argv = _strip_wrappers(argv)
    if not argv:
        return
    name, arguments = _get_program_name(argv[0]), argv[1:]
    line = " ".join(argv)
    if name in ROOT_COMMANDS:
        yield f"runs with administrator rights ({name})"
        yield from _check_program([one for one in arguments if not one.startswith("-")])
        return
    if name in DELETE_COMMANDS:
        yield f"`{name}` deletes or overwrites files"
    if name in SHELL_COMMANDS and any(
        one.lower() in SHELL_COMMAND_OPTIONS or re.fullmatch(r"-\w*c", one) for one in arguments
    ):
        yield "runs a shell command line, which can do anything: read all of it"
        yield from _check_shell_line(line)
    elif _get_program_name(name) in SCRIPT_INTERPRETERS and any(
        one in INLINE_CODE_OPTIONS for one in arguments[:3]
    ):
        yield f"runs code from its arguments ({name}): read all of it"
    yield from _check_package_runner(name, arguments)


def _check_shell_line(line: str) -> Iterator[str]:
    if DOWNLOAD_AND_RUN_PATTERN.search(line):
        yield "downloads a script from the internet and runs it, whatever it contains at that time"
    words = re.findall(r"[\w./-]+", line)
    for name in dict.fromkeys(_get_program_name(word) for word in words):
        if name in ROOT_COMMANDS:
            yield f"runs with administrator rights ({name})"
        elif name in DELETE_COMMANDS:
            yield f"`{name}` deletes or overwrites files"


def _strip_wrappers(argv: Sequence[str]) -> Sequence[str]:
    """Return a command line without wrapper commands: `env A=1 nice -n 5 npx x` becomes `npx x`."""
    while argv and _get_program_name(argv[0]) in WRAPPER_COMMANDS:
        argv = argv[1:]
        while argv and (argv[0].startswith("-") or "=" in argv[0] or argv[0][:1].isdigit()):
            argv = argv[1:]
    return argv


def _check_package_runner(name: str, arguments: Sequence[str]) -> Iterator[str]:
    """Yield warnings about a program that downloads a package and runs it."""
    match name, list(arguments[:1]), list(arguments[:2]):
        case (("npx" | "bunx" | "pnpx"), _, _):
            yield from _check_package(arguments, ("-p", "--package"), "@")
        case (("npm" | "pnpm" | "yarn" | "bun"), ["exec" | "x" | "dlx"], _):
            yield from _check_package(arguments[1:], ("-p", "--package"), "@")
        case "uvx", _, _:
            yield from _check_package(arguments, ("--from",), "==")
        case "uv", _, ["tool", "run"]:
            yield from _check_package(arguments[2:], ("--from",), "==")
        case "pipx", ["run"], _:
            yield from _check_package(arguments[1:], ("--spec",), "==")
        case (("docker" | "podman"), ["run"], _):
            yield from _check_container(name, arguments[1:])
        case "deno", ["run"], _ if any("://" in one for one in arguments):
            yield "runs code from an address on the internet"
        case _:
            return


_RUNNER_OPTIONS_WITH_VALUE = (
    "-c",
    "--call",
    "--python",
    "--with",
    "--index-url",
    "--registry",
    "--cache",
    "-w",
)


def _check_package(
    arguments: Sequence[str], options: Sequence[str], separator: str
) -> Iterator[str]:
    package = _find_package(arguments, options)
    if package is None or _is_pinned_version(package):
        return
    if package.startswith((".", "/", "~")):
        yield f"runs a package from the folder {package}"
    elif "://" in package or package.startswith(("github:", "git+")):
        yield f"fetches {package} from the internet and runs whatever it contains at that time"
    else:
        yield _UNPINNED_WARNING.format(_strip_version(package)).replace(
            "@VERSION", f"{separator}VERSION"
        )


def _find_package(arguments: Sequence[str], options: Sequence[str]) -> str | None:
    """Return the package that a package runner runs: the value of an option, or the first argument."""
    words = iter(arguments)
    for word in words:
        name, has_value, value = word.partition("=")
        if name in options:
            return value if has_value else next(words, None)
        if word in _RUNNER_OPTIONS_WITH_VALUE:
            next(words, None)
        elif not word.startswith("-"):
            return word
    return None


def _is_pinned_version(package: str) -> bool:
    """Return whether a package is pinned to an exact version, in the notation of npm, pip or git."""
    name, separator, version = package.rpartition("==")
    if separator and name:
        return _VERSION_PATTERN.fullmatch(version) is not None
    name, separator, version = package.rpartition("@")
    if not separator or not name:
        return False
    if "://" in package:
        return _COMMIT_PATTERN.fullmatch(version) is not None
    return re.fullmatch(r"v?\d+\.\d+\.\d+([-+.\w]*)", version) is not None


def _strip_version(package: str) -> str:
    name = re.split(r"[=<>~!]", package)[0]
    at = name.rfind("@")
    return name[:at] if at > 0 else name


def _check_container(name: str, arguments: Sequence[str]) -> Iterator[str]:
    line = " ".join(arguments)
    if re.search(r"--privileged|/var/run/docker\.sock|(-v|--volume)[ =]/:|--pid[ =]host", line):
        yield f"gives the container access to the whole computer ({name} with --privileged or a similar option)"
    if "@sha256:" not in line:
        yield f"runs an image that {name} fetches from the internet when it is missing; a digest would pin it"


def _check_environment_variables(env: Mapping[str, str]) -> Iterator[str]:
    for name, value in env.items():
        if CODE_INJECTION_VARIABLES.fullmatch(name):
            yield f"sets {name}, which can make a program run other code"
        for one in find_variable_references(value):
            source = one.removeprefix("env:").split(":-")[0]
            if not one.startswith("key:") and source != name and is_secret_name(source):
                yield f"receives {source} from your environment, as {name}"


def _check_file_permissions(entry: ServerEntry, environment: Mapping[str, str]) -> Iterator[str]:
    program = find_program(entry, environment)
    if program is None and not find_variable_references(entry.command):
        yield f"{entry.command} was not found: install it, or write its full path"
    cwd = entry.cwd or ""
    if cwd and not find_variable_references(cwd) and not Path(expand_home(cwd)).is_dir():
        yield f"its folder {entry.cwd} does not exist"
    paths = [Path(program)] if program else []
    for word in entry.args:
        path = Path(word)
        if path.is_absolute() and not find_variable_references(word):
            if path.is_file():
                paths.append(path)
            elif not path.exists() and len(path.parts) > 2:
                yield f"{word} does not exist"
    for path in paths:
        open_to_others = _find_writable_path(path)
        if open_to_others is not None:
            yield f"other users of this computer can change {path}: they can write to {open_to_others}"


def _find_writable_path(path: Path) -> Path | None:
    """Return the file or folder through which another user could change a program, or None."""
    if os.name == "nt":
        return None
    try:
        real = path.resolve(strict=True)
        for one in (real, *real.parents):
            state = one.stat()
            is_sticky = one.is_dir() and state.st_mode & 0o1000
            if state.st_mode & 0o002 and not is_sticky:
                return one
            if state.st_uid not in (0, os.getuid()):
                return one
    except OSError:
        return None
    return None


def _check_characters(entry: ServerEntry) -> Iterator[str]:
    words = [entry.command, *entry.args, entry.cwd or "", *entry.env]
    if any(has_hidden(one, "") for one in words):
        yield "contains invisible characters, or characters that reverse text: check each of them"


def _check_address(entry: ServerEntry) -> Iterator[str]:
    place = urlsplit(entry.url or "")
    if place.scheme == "http" and not is_loopback_host(place.hostname):
        yield "is not encrypted (http://): others in the network can read and change the messages"
    if place.username or place.password:
        yield "has a user name or password in its address, which is displayed; put it into `headers`"
    if any(is_secret_name(name) for name, _ in parse_qsl(place.query)):
        yield "seems to have a secret in its address, which is displayed; put it into `headers`"
    if entry.oauth is not None and entry.oauth.client_id:
        yield f"signs in with a client id from its entry: {entry.oauth.client_id}"
    if not (entry.url or "").isascii():
        yield "has letters in its address that can be mistaken for other letters"


def _get_program_name(word: str) -> str:
    name = re.split(r"[\\/]", word)[-1].lower()
    return re.sub(r"\.(exe|cmd|bat|com|ps1)$", "", name)

"""Recognises files with keys, passwords or tokens, which a model must never read, even in granted folders."""

import re
from fnmatch import fnmatchcase
from pathlib import PurePath

_PRIVATE_FOLDERS_TEXT = """
.ssh .gnupg .pki .aws .azure .gcloud gcloud .kube .docker .password-store .git .mozilla .thunderbird .electrum
.bitcoin keyrings keychains google-chrome chromium bravesoftware firefox
"""
PRIVATE_FOLDERS = frozenset(_PRIVATE_FOLDERS_TEXT.split())
_PRIVATE_NAMES_TEXT = """
.env .env.* *.env .envrc .netrc _netrc .pgpass .my.cnf .npmrc .yarnrc.yml .pypirc .htpasswd
*.pem *.key *.ppk *.p12 *.pfx *.jks *.keystore *.keytab *.kdb *.kdbx *.ovpn *.agilekeychain
id_rsa* id_dsa* id_ecdsa* id_ed25519* *_history .git-credentials .dockercfg .vault-token
credentials credentials.* secrets.* secret.* client_secret* logins.json key3.db key4.db
cookies.sqlite* wallet.dat .xauthority .iceauthority shadow gshadow master.passwd
conductor.db* mcp.json claude_desktop_config.json keys.json auth.json
"""
PRIVATE_NAMES = tuple(_PRIVATE_NAMES_TEXT.split())
SYSTEM_FOLDERS = ("/proc", "/sys", "/dev")
"""Folders whose files are interfaces of the operating system and not data."""
_PRIVATE_KEY_PATTERN = re.compile(
    rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-\d|openssh-key-v1\x00"
)


def explain_private_path(path: PurePath, home: PurePath) -> str | None:
    """Return why a file or folder must not be read, judged by its path, or None if it may be read.

    `home` is Conductor's own folder.
    """
    if path == home or home in path.parents:
        return "it is in Conductor's own folder"
    if any(str(path).startswith(f"{root}/") or str(path) == root for root in SYSTEM_FOLDERS):
        return "it belongs to the system"
    parts = [part.casefold() for part in path.parts]
    if PRIVATE_FOLDERS.intersection(parts):
        return "programs keep keys and passwords in this folder"
    if any(fnmatchcase(parts[-1], name) for name in PRIVATE_NAMES):
        return "files of this name hold keys or passwords"
    return None


def contains_private_key(content: bytes) -> bool:
    """Return whether the content of a file contains a private key, whatever the file is called."""
    return _PRIVATE_KEY_PATTERN.search(content) is not None

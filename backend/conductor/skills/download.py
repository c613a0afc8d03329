"""Downloads skills over https from sources such as `github:OWNER/REPOSITORY[/PATH][@REF]`, within limits."""

import os
import re
from http.client import HTTPException
from typing import IO, Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from conductor import __version__
from conductor.base.loopback import LOOPBACK_HOST
from conductor.errors import BadSkill, NotAvailable, UnknownSkill
from conductor.skills.tree import check_skill_path

GITHUB_ARCHIVE_URL = "https://codeload.github.com"
GITHUB_URL_VARIABLE = "CONDUCTOR_GITHUB_URL"
"""The environment variable for another base address, such as that of a mirror."""
MAX_DOWNLOAD_BYTES = 64 * 2**20
DOWNLOAD_TIMEOUT_S = 30.0
GITHUB_SOURCE_PATTERN = re.compile(
    r"github:(?P<owner>[A-Za-z0-9][A-Za-z0-9-]{0,38})/(?P<name>[A-Za-z0-9._-]{1,100})"
    r"(?:/(?P<path>[^@]+?))?/?(?:@(?P<ref>[A-Za-z0-9._/-]{1,100}))?"
)


class GitHubFolder(NamedTuple):
    """A folder of a GitHub repository, at a branch, a tag or a commit."""

    owner: str
    name: str
    path: str
    ref: str

    def build_archive_url(self) -> str:
        """Return the address of the archive of the repository.

        Raises:
            NotAvailable: The configured base address does not use https.
        """
        base = os.environ.get(GITHUB_URL_VARIABLE, GITHUB_ARCHIVE_URL).rstrip("/")
        address = urlsplit(base)
        if address.scheme != "https" and (address.scheme, address.hostname) != (
            "http",
            LOOPBACK_HOST,
        ):
            raise NotAvailable(f"{GITHUB_URL_VARIABLE} must begin with https://")
        return f"{base}/{self.owner}/{self.name}/tar.gz/{quote(self.ref, safe='/')}"


def parse_github_source(source: str) -> GitHubFolder:
    """Parse a source such as `github:OWNER/REPOSITORY[/PATH][@REF]`.

    Raises:
        BadSkill: The source does not have this form.
    """
    found = GITHUB_SOURCE_PATTERN.fullmatch(source)
    if found is None or found["name"].strip(".") == "":
        raise BadSkill(f"{ascii(source)[:120]} is not github:OWNER/REPOSITORY/PATH")
    path, ref = found["path"] or "", found["ref"] or "HEAD"
    if path:
        check_skill_path(path)
    check_skill_path(ref)
    return GitHubFolder(found["owner"], found["name"], path, ref)


def download_repository_archive(source: GitHubFolder) -> bytes:
    """Download the archive of a repository and return its bytes.

    Raises:
        NotAvailable: The archive cannot be reached or is too large.
        UnknownSkill: The repository, branch, tag or commit does not exist.
    """
    url = source.build_archive_url()
    request = Request(url, headers={"User-Agent": f"conductor/{__version__}"})  # noqa: S310 -- the address uses https
    try:
        with build_opener(_RedirectRejecter).open(request, timeout=DOWNLOAD_TIMEOUT_S) as response:
            content: bytes = response.read(MAX_DOWNLOAD_BYTES + 1)
    except HTTPError as error:
        error.close()
        if error.code == 404:
            raise UnknownSkill(
                f"{url} does not exist; check the owner, the name and the ref"
            ) from None
        raise NotAvailable(f"{url} answers {error.code}") from None
    except (URLError, HTTPException, OSError) as error:
        raise NotAvailable(f"{url} cannot be reached: {error}") from None
    if len(content) > MAX_DOWNLOAD_BYTES:
        limit = f"{MAX_DOWNLOAD_BYTES // 2**20} MiB"
        raise NotAvailable(f"the repository is over {limit}; download the skill's folder yourself")
    return content


class _RedirectRejecter(HTTPRedirectHandler):
    """Rejects redirects, so that the content comes only from the address that the user named."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        return None

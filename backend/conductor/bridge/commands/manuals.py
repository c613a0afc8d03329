"""Commands about the user's own manuals: add, list, remove, read and open them."""

import base64
import binascii

from pydantic import Field

from conductor.bridge.changing import require_writable
from conductor.bridge.models import Empty
from conductor.bridge.registry import command, query
from conductor.bridge.services import Call
from conductor.domain.manuals import Manual, ManualPage
from conductor.domain.value import Value
from conductor.errors import ActionFailed, InvalidParams, NotAvailable

MAX_PART_CHARS = 4_000_000
"""The maximum length of a part of a file in base64; about 3 MB."""

ManualId = Field(min_length=1, max_length=300)
UploadId = Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9-]+$")


class ManualList(Value):
    manuals: tuple[Manual, ...]


class UploadPartParams(Value):
    """The next part of a file."""

    upload_id: str = UploadId
    """An id that the page has chosen for this file."""
    offset: int = Field(ge=0)
    """The number of bytes before this part."""
    content: str = Field(max_length=MAX_PART_CHARS)
    """The part in base64."""


class AddManualParams(Value):
    upload_id: str = UploadId
    name: str = Field(min_length=1, max_length=255)
    """The name of the file, whose suffix says of which kind it is."""


class AddedManual(Value):
    manual: Manual


class ManualParams(Value):
    manual_id: str = ManualId


class ManualPageParams(Value):
    manual_id: str = ManualId
    page: int = Field(ge=1, le=100_000)


class OpenedManual(Value):
    at_page: bool
    """Whether the viewer was told the page."""


@query("manuals.list")
def list_manuals(params: Empty, call: Call) -> ManualList:
    """Return the user's manuals with the progress of their indexing."""
    return ManualList(manuals=tuple(call.services.knowledge.manuals.list_manuals()))


@command("manuals.upload_part")
def upload_part(params: UploadPartParams, call: Call) -> Empty:
    """Receive a part of a file, which `manuals.add` adds to the manuals once it is complete."""
    require_writable(call.services)
    try:
        content = base64.b64decode(params.content, validate=True)
    except binascii.Error as error:
        raise InvalidParams(f"`content` is not base64: {error}") from None
    call.services.knowledge.manuals.uploads.append_part(params.upload_id, params.offset, content)
    return Empty()


@command("manuals.add", "stateful")
def add_manual(params: AddManualParams, call: Call) -> AddedManual:
    """Add an uploaded file to the manuals, which are indexed in the background."""
    require_writable(call.services)
    manuals = call.services.knowledge.manuals
    with manuals.uploads.take_file(params.upload_id) as path:
        name = params.name.replace("\\", "/").rsplit("/", 1)[-1]
        return AddedManual(manual=manuals.add_file(path, name))


@command("manuals.remove", "stateful")
def remove_manual(params: ManualParams, call: Call) -> ManualList:
    """Remove a manual. If it is being indexed, this is cancelled."""
    require_writable(call.services)
    manuals = call.services.knowledge.manuals
    manuals.remove_manual(params.manual_id)
    return ManualList(manuals=tuple(manuals.list_manuals()))


@query("manuals.page")
def read_page(params: ManualPageParams, call: Call) -> ManualPage:
    """Return the text of a page of a manual."""
    return call.services.knowledge.manuals.read_page(params.manual_id, params.page)


@command("manuals.open")
def open_manual(params: ManualPageParams, call: Call) -> OpenedManual:
    """Open the file of a manual in the viewer of the system, at a page if the viewer can be told one."""
    from conductor.system.document_viewer import open_document

    path = call.services.knowledge.manuals.get_file(params.manual_id)
    try:
        return OpenedManual(at_page=open_document(path, params.page))
    except ActionFailed as problem:
        raise NotAvailable(str(problem)) from None

/** The user's own manuals: their files, the progress of indexing, and uploads. */
import { ConnectionLost } from "../transport/transport";
import { errorMessage, type Client } from "../client/client";
import { LatestRequest } from "../latest";
import { readAsBase64 } from "../files";
import type { Manual, ManualPage } from "../client/types";

const PART_BYTES = 1_500_000;

export interface Upload {
  id: string;
  name: string;
  /** The share that has been sent, from 0 to 1. */
  share: number;
}

export class ManualsState {
  /** All manuals; null until they have been loaded. */
  manuals = $state.raw<Manual[] | null>(null);
  uploads = $state.raw<readonly Upload[]>([]);
  error = $state<string | null>(null);
  private loadRequested = false;
  private readonly requests = new LatestRequest();

  constructor(
    private readonly client: Client,
    /** Called when a manual has become searchable or was removed. */
    private readonly onSourcesChange: () => void,
  ) {
    client.onResync(() => {
      if (this.loadRequested) void this.load();
    });
    client.on("manuals", ({ manuals }) => {
      this.requests.cancel();
      this.set(manuals);
    });
  }

  async load(): Promise<void> {
    this.loadRequested = true;
    const isLatest = this.requests.start();
    try {
      const { manuals } = await this.client.call("manuals.list");
      if (!isLatest()) return;
      this.set(manuals);
      this.error = null;
    } catch (error) {
      if (isLatest() && !(error instanceof ConnectionLost)) this.error = errorMessage(error);
    }
  }

  /** Send a file and add it to the manuals. */
  async add(file: File): Promise<Manual> {
    const upload_id = crypto.randomUUID();
    this.setUpload({ id: upload_id, name: file.name, share: 0 });
    try {
      for (let offset = 0; offset === 0 || offset < file.size; offset += PART_BYTES) {
        const content = await readAsBase64(file.slice(offset, offset + PART_BYTES));
        await this.client.call("manuals.upload_part", { upload_id, offset, content });
        const share = Math.min(1, (offset + PART_BYTES) / Math.max(1, file.size));
        this.setUpload({ id: upload_id, name: file.name, share });
      }
      return (await this.client.call("manuals.add", { upload_id, name: file.name })).manual;
    } finally {
      this.uploads = this.uploads.filter((one) => one.id !== upload_id);
    }
  }

  async remove(manual_id: string): Promise<void> {
    const { manuals } = await this.client.call("manuals.remove", { manual_id });
    this.set(manuals);
  }

  page(manual_id: string, page: number): Promise<ManualPage> {
    return this.client.call("manuals.page", { manual_id, page });
  }

  /** Open the file in the viewer of the system. @returns whether the viewer was told the page */
  async open(manual_id: string, page: number): Promise<boolean> {
    return (await this.client.call("manuals.open", { manual_id, page })).at_page;
  }

  private set(manuals: Manual[]): void {
    const before = describeSources(this.manuals);
    this.manuals = manuals;
    if (before !== null && before !== describeSources(manuals)) this.onSourcesChange();
  }

  private setUpload(upload: Upload): void {
    const others = this.uploads.filter((one) => one.id !== upload.id);
    this.uploads = [...others, upload];
  }
}

function describeSources(manuals: readonly Manual[] | null): string | null {
  return (
    manuals &&
    manuals
      .filter((one) => one.state === "ready")
      .map((one) => one.id)
      .join(" ")
  );
}

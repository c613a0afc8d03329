/** A backup in the settings: saved as a file, compared with what runs, and restored once confirmed. */
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { Client } from "$lib/client/client";
import type { BackupPreview } from "$lib/client/types";
import { createState } from "$lib/state/state";
import { Refusal, type Handlers } from "$lib/transport/fake";
import App from "../src/App.svelte";
import "./load-views";
import { CONFIG, fakeConductor } from "./sample";

const ROW = CONFIG.rows["mode:Default"]![0]!;
const PREVIEW: BackupPreview = {
  made_at: "2026-01-31T12:00:00+00:00",
  conductor_version: "1.2",
  base_hash: "sha256:now",
  before_after: [
    {
      kind: "removed",
      scope: "mode:Default",
      index: 0,
      before: { index: 0, mapping: CONFIG.config.modes[0]!.mappings![0]!, words: ROW },
      after: null,
      text: ROW.trigger,
    } as never,
  ],
  diff: "-a\n+b\n",
  warnings: ["the assistant could read the files in /srv/songs"],
  notes: [],
  profiles: [
    { title: "Me Box", state: "new" },
    { title: "Me Other", state: "same" },
  ],
  prefs: 2,
};

async function open(handlers: Partial<Handlers> = {}) {
  const transport = fakeConductor({
    "backup.make": () => ({ name: "conductor-backup.json", content: "{}", profiles: 0 }),
    "backup.preview": () => PREVIEW,
    "backup.restore": () => ({ hash: "sha256:new" }),
    "window.prefs": () => ({ prefs: { "history.list": 333 } }),
    "knowledge.update_index": () => ({}) as never,
    ...handlers,
  });
  const client = new Client(transport);
  const state = createState(client);
  state.ui.view = "settings";
  client.start();
  render(App, { state });
  const backup = within(await screen.findByRole("group", { name: "Backup" }));
  const choose = (): Promise<boolean> =>
    fireEvent.change(backup.getByLabelText("Backup file"), {
      target: { files: [new File(["the backup"], "conductor-backup.json")] },
    });
  return { backup, choose, state, transport };
}

describe("a backup", () => {
  it("is saved as a file", async () => {
    const url = vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:backup");
    const { backup, transport } = await open();
    await fireEvent.click(backup.getByRole("button", { name: "Save a backup…" }));
    await waitFor(() => expect(url).toHaveBeenCalled());
    expect(transport.called("backup.make")).toHaveLength(1);
    url.mockRestore();
  });

  it("shows what it would change, and changes it only once that is confirmed", async () => {
    const { choose, state, transport } = await open();
    await choose();
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText("the assistant could read the files in /srv/songs")).toBeTruthy();
    expect(dialog.getByText("Adds Me Box")).toBeTruthy();
    expect(dialog.queryByText(/Me Other/)).toBeNull();
    expect(dialog.getByText(/^2 preferences of this window change/)).toBeTruthy();
    expect(transport.called("backup.restore")).toEqual([]);

    const restore = dialog.getByRole("button", { name: "Restore the backup" });
    await waitFor(() => expect(restore).toHaveProperty("disabled", false));
    await fireEvent.click(restore);
    await waitFor(() => expect(transport.called("knowledge.update_index")).toHaveLength(1));
    expect(transport.called("backup.restore")).toEqual([
      { content: "the backup", base_hash: "sha256:now" },
    ]);
    expect(state.ui.pref("history.list", 0)).toBe(333);
    expect(state.ui.toasts.at(-1)?.text).toBe("Backup restored");
  });

  it("that cannot be used says why, and asks nothing", async () => {
    const message = "This file is not a backup of Conductor; choose one";
    const { backup, choose } = await open({
      "backup.preview": () => {
        throw new Refusal({ code: "params_invalid", message });
      },
    });
    await choose();
    expect((await backup.findByRole("alert")).textContent).toBe(message);
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  it("that changes nothing cannot be restored", async () => {
    const same = { ...PREVIEW, before_after: [], diff: "", warnings: [], profiles: [], prefs: 0 };
    const { choose } = await open({ "backup.preview": () => same });
    await choose();
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByRole("button", { name: "Restore the backup" })).toHaveProperty(
      "disabled",
      true,
    );
  });
});

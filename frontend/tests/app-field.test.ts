/** The fields of an app and of a mode: what they offer, and any other name. */
import { render, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Root } from "$forms/schema";
import { Client } from "$lib/client/client";
import type { ChangeInput } from "$lib/client/types";
import { createState } from "$lib/state/state";
import FormHost from "./FormHost.svelte";
import { fakeConductor } from "./sample";

const APPS = [
  { name: "OBS Studio", launch: "OBS Studio", program: "obs" },
  { name: "Notes", launch: "org.notes", program: "" },
];
const FRONT = { executable: "obs", bundle_id: "", title: "OBS 31" };

async function open(root: Root, start: object) {
  const transport = fakeConductor({
    "apps.installed": () => ({ apps: APPS }),
    "apps.front": () => ({ ...FRONT, supported: true, reason: null, seen: [FRONT] }),
  });
  const client = new Client(transport);
  const app = createState(client);
  client.start();
  const onChange = vi.fn<(value: { app: string }) => void>();
  render(FormHost, { props: { app, root, start, onChange: onChange as never } });
  await waitFor(() => expect(transport.called("apps.installed")).toHaveLength(1));
  const user = userEvent.setup();
  const field = document.querySelector("[data-path=app] input")!;
  /** Type a text, and return the options that it finds. */
  async function type(text: string): Promise<string[]> {
    await user.clear(field);
    await user.type(field, text);
    return screen.queryAllByRole("option").map((one) => one.textContent.trim());
  }
  return { type, user, app: () => onChange.mock.lastCall![0].app };
}

it("opens an app by its name, and offers the running apps first", async () => {
  const form = await open("Action", { type: "Launch", app: "" });
  expect(await form.type("o")).toEqual(["OBS StudioRunning", "Notesorg.notes"]);
  expect(await form.type("note")).toEqual(["Notesorg.notes"]);
  await form.user.click(screen.getByRole("option"));
  expect(form.app()).toBe("org.notes");
});

it("names the program in a condition, and only apps whose program is known", async () => {
  const form = await open("Condition", { type: "AppFrontmost", app: "" });
  expect(await form.type("o")).toEqual(["OBS StudioRunning"]);
  await form.user.click(screen.getByRole("option"));
  expect(form.app()).toBe("obs");
});

it("accepts any other name", async () => {
  const form = await open("Action", { type: "Launch", app: "" });
  expect(await form.type("https://example.org")).toEqual([]);
  expect(form.app()).toBe("https://example.org");
});

it("creates a mode that does not exist, and takes no text that is not chosen", async () => {
  const transport = fakeConductor();
  const client = new Client(transport);
  const app = createState(client);
  client.start();
  await vi.waitFor(() => expect(app.config.view).not.toBeNull());
  const onChange = vi.fn<(value: { mode: string }) => void>();
  const start = { type: "ModeChange", mode: null };
  render(FormHost, { props: { app, root: "Action", start, onChange: onChange as never } });
  const user = userEvent.setup();
  const field = document.querySelector<HTMLInputElement>("[data-path=mode] input")!;
  expect([field.value, field.placeholder]).toEqual(["", "Select or create…"]);
  await user.type(field, "Encore");
  expect(onChange).not.toHaveBeenCalled();
  await user.click(await screen.findByRole("option", { name: "Create mode “Encore”" }));
  await vi.waitFor(() => expect(onChange.mock.lastCall?.[0].mode).toBe("Encore"));
  await user.clear(field);
  await user.type(field, "stream");
  await user.tab();
  expect(onChange.mock.lastCall?.[0].mode).toBe("Stream");
  await user.clear(field);
  await user.type(field, "Encore");
  await user.click(await screen.findByRole("option", { name: "Create mode “Encore”" }));
  // It is created with the mapping, of which nothing stays if it is discarded.
  const other: ChangeInput = { change_type: "UpdateMapping", index: 0, description: "Encore" };
  await app.config.commit([other], () => "Changed Pad 1");
  expect(transport.called("config.commit")).toMatchObject([{ changes: [other] }]);
  const mapping = { trigger: { type: "Note", note: 40 }, action: onChange.mock.lastCall![0] };
  const change = { change_type: "CreateMapping", mode: "Default", mapping } as ChangeInput;
  await app.config.commit([change], () => "Mapped Pad 5");
  expect(transport.called("config.commit").at(-1)).toMatchObject({
    changes: [change, { change_type: "CreateMode", name: "Encore" }],
  });
  // A plan that creates the mode itself is proved as it is, and creates it once.
  const created = { change_type: "CreateMode" as const, name: "Encore" };
  await app.config.preview([change]);
  expect(transport.called("config.preview")).toMatchObject([{ changes: [change] }]);
  expect(app.config.withNewModes([created, change])).toEqual([created, change]);
});

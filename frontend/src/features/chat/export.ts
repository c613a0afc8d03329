/** Saves a conversation as a file: where the user says in a window, as a download in a browser. */
import type { Conversation } from "$lib/client/types";
import type { State } from "$lib/state/state";
import { fileName } from "./words";

export async function exportConversation({ app, client, ui }: State, { conversation_id, title }: Conversation, form: "markdown" | "json"): Promise<void> {
  await app.attempt(async () => {
    const { text } = await client.call("chat.export", { conversation_id, form });
    const name = `${fileName(title)}.${form === "markdown" ? "md" : "json"}`;
    if (!app.info?.features.native) return download(name, text);
    const { path } = await client.call("shell.save_file", { name, content: text, encoding: "text" });
    if (path) ui.toast(`Saved ${path}`, { tone: "success" });
  });
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

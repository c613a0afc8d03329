/** Save a conversation as a file. */
import type { Conversation } from "$lib/client/types";
import { saveText } from "$lib/files";
import type { State } from "$lib/state/state";
import { fileName } from "./words";

export async function exportConversation(
  all: State,
  { conversation_id, title }: Conversation,
  form: "markdown" | "json",
): Promise<void> {
  await all.app.attempt(async () => {
    const { text } = await all.client.call("chat.export", { conversation_id, form });
    await saveText(all, `${fileName(title)}.${form === "markdown" ? "md" : "json"}`, text);
  });
}

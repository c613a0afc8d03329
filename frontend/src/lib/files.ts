/** Encoding, downloading and size formatting of files. */
import { formatFixed } from "$language/format";
import type { State } from "./state/state";
import { strings } from "./strings";

/** Read a file and return its content as base64. */
export async function readAsBase64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

/** Format a file size in bytes, kB or MB. */
export function formatSize(bytes: number): string {
  return bytes >= 1e6
    ? `${formatFixed(bytes / 1e6, 1)} MB`
    : bytes >= 1e3
      ? `${Math.round(bytes / 1e3)} kB`
      : strings.bytes(bytes);
}

/** Save text as a file: with a save dialog in the app window, as a download in a browser. */
export async function saveText(
  { app, client, ui }: Pick<State, "app" | "client" | "ui">,
  name: string,
  content: string,
): Promise<void> {
  if (!app.info?.features.native) return download(name, content);
  const { path } = await client.call("shell.save_file", { name, content, encoding: "text" });
  if (path) ui.toast(strings.saved(path), { tone: "success" });
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The agents for which `conductor mcp install --client` writes the configuration. */
export const AGENT_CLIENTS = [
  { value: "claude-code", label: "Claude Code" },
  { value: "claude-desktop", label: "Claude Desktop" },
  { value: "cursor", label: "Cursor" },
  { value: "vscode", label: "VS Code" },
  { value: "codex", label: "Codex" },
  { value: "gemini", label: "Gemini CLI" },
  { value: "windsurf", label: "Windsurf" },
  { value: "copilot", label: "Copilot CLI" },
] as const;

/** Return the name of a client, such as “Claude Code”, from the one it gives itself. */
export const clientName = (client: string): string =>
  AGENT_CLIENTS.find(({ value }) => value === client)?.label ?? client;

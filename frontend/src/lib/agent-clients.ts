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

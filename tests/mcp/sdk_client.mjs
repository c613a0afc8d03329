// The TypeScript SDKs as an agent's host would use them: node sdk_client.mjs ERA PYTHON, through the bridge.
// Prints what it saw as one JSON object.

import { argv, env, stdout } from "node:process";

const [era, python] = argv.slice(2);
const info = { name: "typescript-test", version: "1" };
const server = { command: python, args: ["-m", "conductor", "mcp"], env };
const asked = [];

function answer(request) {
  asked.push(request.params.message);
  return { action: "accept", content: { approve: true } };
}

async function connect() {
  if (era === "v1") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    const { ElicitRequestSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const client = new Client(info, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, answer);
    await client.connect(new StdioClientTransport(server));
    return client;
  }
  const { Client } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const mode = era === "modern" ? { pin: "2026-07-28" } : era;
  const client = new Client(info, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", answer);
  await client.connect(new StdioClientTransport(server));
  return client;
}

const client = await connect();
const { tools } = await client.listTools();
const status = await client.callTool({ name: "conductor_get_status", arguments: {} });
const wrong = await client.callTool({ name: "conductor_switch_mode", arguments: { mode: "Nope" } });
const config = await client.readResource({ uri: "conductor://config" });
const made = await client.callTool({ name: "conductor_create_mode", arguments: { name: `Mode ${era}` } });
const plan = made.structuredContent;
const applied = await client.callTool({ name: "conductor_apply_plan", arguments: { plan_id: plan.plan_id } });
const seen = {
  tools: tools.length,
  running: status.structuredContent.daemon_running,
  wrong: wrong.isError,
  config: config.contents[0].text,
  diffShown: asked.length === 1 && asked[0].includes(plan.diff_preview),
  applied: applied.structuredContent.status,
};
stdout.write(JSON.stringify(seen));
await client.close();

/**
 * Copies bytes between an MCP client's stdio and the socket of the Conductor that is running.
 *
 * This is the program of the MCP bundle: the client's own Node.js runs it, so only Node's modules are
 * used. Messages are not parsed, so every version of the protocol passes through. It does what
 * `conductor mcp` does (backend/conductor/mcp/server/stdio_proxy.py): if Conductor does not run, it is
 * started without a window, and if that fails, the first request is answered with what to do.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import net from "node:net";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

const START_TIMEOUT_MS = 25_000;
const CONNECT_RETRY_MS = 100;
const NOT_RUNNING_ERROR_CODE = -32000;

/** Return a setting of the bundle, or undefined if the user left its field empty. */
function readSetting(name) {
  const text = (process.env[name] ?? "").trim();
  // A client that gets no value for a field passes the text of the reference on.
  return text === "" || text.startsWith("${") ? undefined : expandHome(text);
}

function expandHome(path) {
  return path === "~" || /^~[/\\]/.test(path) ? join(homedir(), path.slice(1)) : path;
}

const home = readSetting("CONDUCTOR_HOME") ?? join(homedir(), ".conductor");

/** Return the possible paths of the socket, the configured one first. */
function listSocketPaths() {
  const paths = [join(home, "mcp.sock")];
  try {
    const text = readFileSync(join(home, "config.toml"), "utf8");
    const found = /^\s*(?:llm\.mcp\.)?socket_path\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/m.exec(
      text,
    );
    const path = found && (found[2] ?? JSON.parse(`"${found[1]}"`));
    if (path) paths.unshift(expandHome(path));
  } catch {
    // without a readable config, the socket is at its usual path
  }
  return paths;
}

/** Connect to the socket at a path. Resolve to null if nothing listens there. */
function connectTo(path) {
  let target, token;
  try {
    if (statSync(path).isSocket()) target = { path };
    else {
      // on Windows, Conductor writes the port and a token into a file that only the user can read
      const address = JSON.parse(readFileSync(path, "utf8"));
      target = { host: "127.0.0.1", port: address.port };
      token = address.token;
    }
  } catch {
    return Promise.resolve(null);
  }
  return new Promise((resolve) => {
    const connection = net.connect({ ...target, allowHalfOpen: true });
    connection.once("error", () => resolve(null));
    connection.once("connect", () => {
      connection.removeAllListeners("error");
      if (token !== undefined) connection.write(`${token}\n`);
      resolve(connection);
    });
  });
}

async function connect() {
  for (const path of listSocketPaths()) {
    const connection = await connectTo(path);
    if (connection) return connection;
  }
  return null;
}

/** Return the path of the program, or null if it is not installed where programs usually are. */
function findProgram() {
  const chosen = readSetting("CONDUCTOR_PROGRAM");
  if (chosen !== undefined) return isAbsolute(chosen) && existsSync(chosen) ? chosen : null;
  // programs with a window often get a PATH without the folders that pip and Homebrew use
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter),
    join(homedir(), ".local", "bin"),
    "/usr/local/bin",
    "/opt/homebrew/bin",
  ];
  const name = process.platform === "win32" ? "conductor.exe" : "conductor";
  return (
    folders
      .filter(Boolean)
      .map((folder) => join(folder, name))
      .find(existsSync) ?? null
  );
}

/** Start Conductor as a process that outlives this one, and connect. Resolve to null if that fails. */
async function startAndConnect(program) {
  let failed = false;
  const child = spawn(program, ["run", "--headless", "--quiet"], {
    detached: true,
    env: { ...process.env, CONDUCTOR_HOME: home },
    stdio: "ignore",
    windowsHide: true,
  });
  child.once("error", () => (failed = true));
  child.once("exit", (code) => (failed ||= code !== 0));
  child.unref();
  for (let waited = 0; waited < START_TIMEOUT_MS && !failed; waited += CONNECT_RETRY_MS) {
    await new Promise((resolve) => setTimeout(resolve, CONNECT_RETRY_MS));
    const connection = await connect();
    if (connection) return connection;
  }
  return null;
}

/** Copy in both directions until Conductor has closed its side. */
function copy(connection) {
  let hasInputEnded = false;
  // not `pipe`, which would not tell whether the client or Conductor ended first
  process.stdin.on("data", (chunk) => {
    if (!connection.write(chunk)) process.stdin.pause();
  });
  connection.on("drain", () => process.stdin.resume());
  process.stdin.once("end", () => {
    hasInputEnded = true;
    connection.end(); // the answers to what was sent still arrive
  });
  connection.pipe(process.stdout);
  connection.once("error", () => {}); // "close" follows
  connection.once("close", () => {
    process.stdin.destroy();
    if (hasInputEnded) return;
    process.stderr.write("Conductor has ended or closed the connection; restart this server\n");
    process.exitCode = 1;
  });
  process.stdout.on("error", () => connection.destroy()); // the client has closed its pipe
}

/** Answer the first request with an error that says what to do. */
function answerWithError(text) {
  process.stderr.write(`${text}\n`);
  process.exitCode = 1;
  let received = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (chunk) => {
    received += chunk;
    const end = received.indexOf("\n");
    if (end < 0) return;
    let id = null;
    try {
      id = JSON.parse(received.slice(0, end)).id ?? null;
    } catch {
      // a line that is not JSON has no id
    }
    const error = { code: NOT_RUNNING_ERROR_CODE, message: text, data: { kind: "not_running" } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
    process.stdin.destroy();
  });
}

async function main() {
  let connection = await connect();
  const program = connection ? null : findProgram();
  if (program) connection = await startAndConnect(program);
  if (connection) return copy(connection);
  const why = `Conductor is not running (nothing listens at ${listSocketPaths()[0]})`;
  answerWithError(
    program
      ? `${why}, and ${program} could not be started. Start Conductor yourself, then restart this server`
      : `${why}, and its program was not found. Start Conductor, or choose its program in the settings of this extension`,
  );
}

await main();

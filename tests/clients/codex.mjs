// Codex CLI with a scripted model, for the tests beside this file.  Nothing but loopback is reached.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PATIENCE, end, folder } from './keyhole.mjs';

const CODEX = join(folder('@openai/codex'), 'bin/codex.js');
// What an agent would look up elsewhere (updates, telemetry) goes to a port of loopback where nobody listens.
const NOWHERE = { HTTPS_PROXY: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1,localhost' };

/** The folder of Codex's configuration: the scripted model, and Keyhole as its only MCP server. */
export function configure(home, url, server) {
  const path = join(home.folder, `codex-${home.names++}`);
  mkdirSync(path);
  writeFileSync(join(path, 'config.toml'), `model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false
web_search = "disabled"

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = ${JSON.stringify(url)}
wire_api = "responses"

[mcp_servers.keyhole]
startup_timeout_sec = 60
tool_timeout_sec = 60
default_tools_approval_mode = "approve"
${server}`);
  return path;
}

/** One turn; what Codex wrote: a JSON object a line. */
export async function turn(home, path, prompt) {
  const child = spawn(process.execPath, [CODEX, 'exec', '--skip-git-repo-check', '--json', '-C', home.folder, prompt],
    { env: { ...home.env, ...NOWHERE, CODEX_HOME: path, KEYHOLE_TOKEN: process.env.KEYHOLE_TOKEN ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'], timeout: 3 * PATIENCE });
  let out = '', err = '';
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  const status = await new Promise((done) => child.once('close', done));
  await end(child);
  assert.equal(status, 0, `codex ended with ${status}: ${out}\n${err}`);
  return { events: out.trim().split('\n').map((line) => JSON.parse(line)), out, err };
}

/** The object that a tool's output has somewhere in its text. */
export function object(text) {
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
}

/** What a configuration says of Keyhole, for each way to it. */
export const servers = {
  stdio: (home, token) => {
    const { command, args, env } = home.stdio(token);
    const pairs = Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    return `command = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nenv = { ${pairs.join(', ')} }\n`;
  },
  HTTP: (home, token) => {
    process.env.KEYHOLE_TOKEN = token.text;
    return `url = ${JSON.stringify(home.url)}\nbearer_token_env_var = "KEYHOLE_TOKEN"\n`;
  },
};

// Codex CLI through one whole turn (I1, A5, B18): a scripted model has it open a task, ask, get a delivery, and meet a
// held answer that a second process approves.  Nothing but loopback is reached.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { CANARIES, CONTROLLER_TOOLS, HELD, HELD_ANSWERS, Home, KIND, PATIENCE, end, folder } from './keyhole.mjs';
import { Model } from './model.mjs';

const CODEX = join(folder('@openai/codex'), 'bin/codex.js');
// What an agent would look up elsewhere (updates, telemetry) goes to a port of loopback where nobody listens.
const NOWHERE = { HTTPS_PROXY: 'http://127.0.0.1:9', ALL_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1,localhost' };

let home;
before(async () => {
  home = await Home.make();
  await home.serve();
});
after(() => home.close());

/** The folder of Codex's configuration: the scripted model, and Keyhole as its only MCP server. */
function configure(url, server) {
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
async function turn(path, prompt) {
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
function object(text) {
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
}

const servers = {
  stdio: (token) => {
    const { command, args, env } = home.stdio(token);
    const pairs = Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
    return `command = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nenv = { ${pairs.join(', ')} }\n`;
  },
  HTTP: (token) => {
    process.env.KEYHOLE_TOKEN = token.text;
    return `url = ${JSON.stringify(home.url)}\nbearer_token_env_var = "KEYHOLE_TOKEN"\n`;
  },
};

for (const [transport, server] of Object.entries(servers)) {
  test(`one turn of Codex over ${transport}`, async () => {
    const token = await home.token();
    let task, deciding;
    const wait = (now) => (['waiting', 'pending'].includes(now.outcome)
      ? { name: 'approval_wait', arguments: { id: now.approval ?? now.query } } : null);
    const script = [
      () => ({ name: 'task_open', arguments: { title: 'read my mail' } }),
      async (now) => {
        task = now.task;
        await home.put(task);
        return { name: 'BCPQuery', arguments: { ...KIND, task } };
      },
      ({ outcome, delivery }) => {
        assert.equal(outcome, 'delivered');
        assert.deepEqual(delivery.response.fields, { urgent: true, topic: 'meeting' });
        deciding = home.decide(task);
        return { name: 'BCPQuery', arguments: { ...HELD, task } };
      },
      ({ outcome, delivery }) => {
        assert.equal(outcome, 'delivered');
        assert.deepEqual(delivery.response.answers, HELD_ANSWERS);
        return 'The meeting is urgent.';
      },
    ];
    // A step is played when the call before it has an outcome; until then the agent goes on waiting.
    const model = new Model('mcp__keyhole', (outputs) => {
      const now = outputs.length > 0 ? object(outputs.at(-1)) : {};
      return wait(now) ?? script.shift()(now);
    });
    try {
      const { events, out, err } = await turn(configure(await model.listen(), server(token)), 'When is the meeting?');
      assert.deepEqual(model.faults, [], `${out}\n${err}`);
      assert.equal(script.length, 0, `the script was not played to its end: ${out}\n${err}`);
      await deciding;
      assert.deepEqual([...model.tools].sort(), [...CONTROLLER_TOOLS].sort());
      assert.equal(events.at(-1).type, 'turn.completed');
      assert.ok(events.some((event) => event.item?.text === 'The meeting is urgent.'));
      const seen = [...model.bodies, out, err].join('\n').toLowerCase();
      assert.deepEqual(CANARIES.filter((canary) => seen.includes(canary)), []);
    } finally {
      await model.close();
    }
  });
}

test('no canary in what Controllers were sent', () => assert.deepEqual(home.leaked(), []));

// The user's own MCP server behind Keyhole (U4, U5, U6, E12), as docs/use/UPSTREAMS.md has it: taken from a client's file,
// reviewed, approved, and used by Codex with a scripted model, and by the Inspector.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { configure, object, servers, turn } from './codex.mjs';
import { CANARIES, Home, KIND, MAIL, PATIENCE, folder } from './keyhole.mjs';
import { Model } from './model.mjs';

const run = promisify(execFile);
const SERVER = resolve(dirname(fileURLToPath(import.meta.url)), '../servers/server.py');
const INSPECTOR = join(folder('@modelcontextprotocol/inspector'), 'clients/launcher/build/index.js');
const RULES = 'policy:\n  tools:\n    - {name: files__read_file, risk: low, effects: none}\n    - {name: files__*, permission: deny}\n';
const REASON = 'The user asked when the meeting is.';

let home, mail;
before(async () => {
  home = await Home.make();
  const docs = join(home.folder, 'docs'), yaml = join(home.path, 'keyhole.yaml'), client = join(home.folder, 'mcp.json');
  mkdirSync(docs);
  mail = join(docs, 'mail.txt');
  writeFileSync(mail, MAIL);
  writeFileSync(yaml, readFileSync(yaml, 'utf8').replace('policy:\n', RULES));
  writeFileSync(client, JSON.stringify({ mcpServers: { files: { command: '/usr/bin/python3', args: [SERVER, docs] } } }));
  await home.keyhole('upstream', 'import', '--write', client);
  // A review that finds something to decide ends with 1.
  const { stdout } = await home.json('upstream', 'review', 'files').then(() => assert.fail('nothing to approve'), (error) => error);
  const { approved } = await home.json('upstream', 'review', 'files', '--approve', JSON.parse(stdout).digest);
  assert.ok(approved >= 6, `${approved} tools approved`);
  await home.serve();
});
after(() => home.close());

/** What every client does: a task, its execution, the call, a question about the block. */
function steps() {
  let task;
  return [
    () => ({ name: 'task_open', arguments: { title: 'read my mail' } }),
    (now) => {
      task = now.task;
      return { name: 'begin_execution', arguments: { task, plan: 'Read the mail that the user named.' } };
    },
    (now) => {
      assert.equal(now.outcome, 'execution');
      return { name: 'files__read_file', arguments: { path: mail, keyhole: { reason: REASON, task } } };
    },
    (now) => {
      assert.equal(now.outcome, 'ok', JSON.stringify(now));
      assert.equal(now.operation, 'comm.mcp.files.read_file');
      assert.deepEqual(now.parameters, { path: mail });
      return { name: 'BCPQuery', arguments: { ...KIND, task, blocks: [now.block] } };
    },
    ({ outcome, delivery }) => {
      assert.equal(outcome, 'delivered');
      assert.deepEqual(delivery.response.fields, { urgent: true, topic: 'meeting' });
      return 'The meeting is urgent.';
    },
  ];
}

for (const [transport, server] of Object.entries(servers)) {
  test(`Codex over ${transport}`, async () => {
    const token = await home.token(), script = steps();
    const model = new Model('mcp__keyhole', (outputs) => {
      const now = outputs.length > 0 ? object(outputs.at(-1)) : {};
      return ['waiting', 'running'].includes(now.outcome)
        ? { name: 'approval_wait', arguments: { id: now.declaration ?? now.query } } : script.shift()(now);
    });
    try {
      const { events, out, err } = await turn(home, configure(home, await model.listen(), server(home, token)), 'When is the meeting?');
      assert.deepEqual(model.faults, [], `${out}\n${err}`);
      assert.equal(script.length, 0, `the script was not played to its end: ${out}\n${err}`);
      assert.ok([...model.tools].includes('files__read_file'), [...model.tools].join(' '));
      assert.ok(events.some((event) => event.item?.text === 'The meeting is urgent.'));
      const seen = [...model.bodies, out, err].join('\n').toLowerCase();
      assert.deepEqual(CANARIES.filter((canary) => seen.includes(canary)), []);
    } finally {
      await model.close();
    }
  });
}

test('Inspector', async () => {
  const { command, args } = home.stdio(await home.token());
  const inspect = async (...words) => JSON.parse((await run(process.execPath, [INSPECTOR, '--cli', '-e', `KEYHOLE_HOME=${home.path}`, command,
    ...args, ...words], { env: home.env, cwd: home.folder, timeout: PATIENCE })).stdout);
  const { tools } = await inspect('--method', 'tools/list');
  assert.ok(tools.find((tool) => tool.name === 'files__read_file')?.inputSchema.required.includes('keyhole'));
  let now = {};
  for (const step of steps()) {
    const call = step(now);
    if (typeof call === 'string') break;
    const pairs = Object.entries(call.arguments).flatMap(([key, value]) => [
      '--tool-arg', `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`]);
    now = (await inspect('--method', 'tools/call', '--tool-name', call.name, ...pairs)).structuredContent;
  }
});

test('no canary in what Controllers were sent', () => assert.deepEqual(home.leaked(), []));

// The command line of the MCP Inspector (I1): tools/list and tools/call, over stdio and HTTP.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { answered } from './journey.mjs';
import { CONTROLLER_TOOLS, Home, KIND, PATIENCE, folder } from './keyhole.mjs';

const run = promisify(execFile);
const INSPECTOR = join(folder('@modelcontextprotocol/inspector'), 'clients/launcher/build/index.js');

let home;
before(async () => {
  home = await Home.make();
  await home.serve();
});
after(() => home.close());

async function inspect(target, ...words) {
  const { stdout } = await run(process.execPath, [INSPECTOR, '--cli', ...target, ...words],
    { env: home.env, cwd: home.folder, timeout: PATIENCE });
  return JSON.parse(stdout);
}

function call(target, name, args) {
  const pairs = Object.entries(args).flatMap(([key, value]) => [
    '--tool-arg', `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`]);
  return inspect(target, '--method', 'tools/call', '--tool-name', name, ...pairs);
}

for (const transport of ['stdio', 'http']) {
  test(`Inspector over ${transport}`, async () => {
    const token = await home.token(), { command, args } = home.stdio(token);
    const target = transport === 'http' ? [home.url, '--transport', 'http', '--header',
      `Authorization: Bearer ${token.text}`] : ['-e', `KEYHOLE_HOME=${home.path}`, command, ...args];
    const { tools } = await inspect(target, '--method', 'tools/list');
    assert.deepEqual(tools.map((tool) => tool.name), CONTROLLER_TOOLS);
    const { structuredContent: { task } } = await call(target, 'task_open', { title: 'by hand' });
    await home.put(task);
    const client = { call: (name, args) => call(target, name, args) };
    const { structuredContent: { outcome, delivery } } = await answered(client, client.call('BCPQuery', { ...KIND, task }));
    assert.equal(outcome, 'delivered');
    assert.deepEqual(delivery.response.fields, { urgent: true, topic: 'meeting' });
  });
}

test('no canary in what Controllers were sent', () => assert.deepEqual(home.leaked(), []));

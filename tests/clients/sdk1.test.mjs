// MCP SDK 1.x, which begins with `initialize` (I1): over stdio on the user's own store, as a relay, and over HTTP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { answered, elicited, open, whole } from './journey.mjs';
import { outside } from './outside.mjs';
import { Home, KIND, MAIL_CANARIES, require, until } from './keyhole.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { ElicitRequestSchema } = require('@modelcontextprotocol/sdk/types.js');

async function connect(transport, told) {
  const client = new Client({ name: 'sdk1', version: '1' }, { capabilities: told ? { elicitation: {} } : {} });
  if (told) client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    told.push(params);
    return { action: 'accept', content: {} };
  });
  await client.connect(transport);
  return {
    missing: -32002, // how its versions say that there is no such resource
    tools: async () => (await client.listTools()).tools,
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    prompts: async () => (await client.listPrompts()).prompts,
    prompt: (name) => client.getPrompt({ name }),
    resources: async () => (await client.listResources()).resources,
    read: (uri) => client.readResource({ uri }),
    complete: (uri, name, value) => client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } }),
    close: () => client.close(),
  };
}

function http(home, token) {
  return new StreamableHTTPClientTransport(new URL(home.url),
    { requestInit: { headers: { Authorization: `Bearer ${token.text}` } } });
}

/** Another agent over stdio, and what it is sent kept elsewhere: it may see more than a Controller. */
async function beside(token, apart) {
  const { args, ...rest } = home.stdio(token);
  return connect(new StdioClientTransport({ ...rest, args: args.map((word) => (word === home.received ? apart.received : word)) }));
}

let home;
before(async () => { home = await Home.make(); });
after(() => home.close());

const stdio = (of, token) => new StdioClientTransport(of.stdio(token));

for (const [title, transport, serves] of [
  ['over stdio, on the own store', stdio, false],
  ['over stdio, as a relay', stdio, true],
  ['over HTTP', http, true],
]) {
  test(`SDK 1.x ${title}`, async (t) => {
    if (serves && !home.url) await home.serve();
    const client = await connect(transport(home, await home.token()));
    try {
      await whole(t, client, home);
    } finally {
      await client.close();
    }
  });
  test(`SDK 1.x ${title}: out into the world and back`, async (t) => {
    const client = await connect(transport(home, await home.token())), apart = new Home();
    const supervisor = await beside(await home.token('supervisor'), apart);
    try {
      assert.deepEqual((await supervisor.tools()).map((tool) => tool.name), ['verification_next', 'verification_decide']);
      await outside(t, client, home, supervisor);
    } finally {
      await client.close();
      await supervisor.close();
      await apart.close();
    }
  });
}

test('elicitation decides nothing', async (t) => {
  for (const [name, transport] of [['HTTP', http], ['stdio', stdio]]) {
    await t.test(name, async () => {
      const told = [], client = await connect(transport(home, await home.token()), told);
      try {
        await elicited(client, home, await open(client, home), told);
      } finally {
        await client.close();
      }
    });
  }
});

test('an agent as Reader, a Controller beside it', async () => { // I3, B4, B24
  const [controller, token] = [await home.token(), await home.token('reader')];
  const client = await connect(http(home, controller)), clean = new Home(), reader = await beside(token, clean);
  try {
    assert.deepEqual((await reader.tools()).map((tool) => tool.name), ['BCPNext', 'BCPRespond']);
    assert.deepEqual((await reader.prompts()).map((prompt) => prompt.name), ['reader', 'security-policy']);
    const { task } = (await client.call('task_open', {})).structuredContent;
    await home.put(task);
    const asked = client.call('BCPQuery', { ...KIND, task, target: token.name });
    const next = await until('a question', async () => {
      const now = (await reader.call('BCPNext', {})).structuredContent;
      return now.found && now;
    });
    assert.equal(next.query.type, 'bcp_query');
    assert.match(next.query.context[0], /UNTRUSTED_EXTERNAL_CONTENT/);
    assert.match(next.query.context[0], /lodestarcanary/); // a Reader reads: that is what it is for
    const wrong = await reader.call('BCPRespond', { query_id: next.query.query_id, response: { fields: { urgent: 'lodestarcanary' } } });
    assert.equal(wrong.structuredContent.result, 'invalid');
    const again = (await reader.call('BCPNext', {})).structuredContent;
    const right = await reader.call('BCPRespond', { query_id: again.query.query_id,
      response: { fields: { urgent: false, topic: 'invoice' } } });
    assert.equal(right.structuredContent.result, 'accepted');
    const { outcome, delivery } = (await answered(client, asked)).structuredContent;
    assert.equal(outcome, 'delivered');
    assert.deepEqual(delivery.response.fields, { urgent: false, topic: 'invoice' });
    assert.deepEqual(clean.leaked(), MAIL_CANARIES,
      'what a Reader is sent would show that the search finds canaries');
  } finally {
    await client.close();
    await reader.close();
    await clean.close();
  }
});

test('no canary in what Controllers were sent', () => {
  assert.deepEqual(home.leaked(), []);
});

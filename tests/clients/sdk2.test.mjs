// MCP SDK 2.x (I1): in both generations of the protocol, stateless 2026-07-28 and `initialize`, over HTTP and stdio.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { elicited, open, whole } from './journey.mjs';
import { outside } from './outside.mjs';
import { Home, require } from './keyhole.mjs';

const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');

async function connect(transport, mode, told) {
  const client = new Client({ name: 'sdk2', version: '2' },
    { versionNegotiation: { mode }, capabilities: told ? { elicitation: { form: {} } } : {} });
  if (told) client.setRequestHandler('elicitation/create', ({ params }) => {
    told.push(params);
    return { action: 'accept', content: {} };
  });
  await client.connect(transport);
  return {
    missing: -32602, // what this SDK makes of -32002 too
    version: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools,
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
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

let home;
before(async () => {
  home = await Home.make();
  await home.serve();
});
after(() => home.close());

const MODERN = { pin: '2026-07-28' };
for (const [title, mode, transport] of [
  ['stateless, over HTTP', MODERN, http],
  ['stateless, over stdio', MODERN, (of, token) => new StdioClientTransport(of.stdio(token))],
  ['with initialize, over HTTP', 'legacy', http],
]) {
  test(`SDK 2.x, ${title}`, async (t) => {
    const client = await connect(transport(home, await home.token()), mode);
    try {
      assert.equal(client.version, mode === MODERN ? '2026-07-28' : '2025-11-25');
      await whole(t, client, home);
    } finally {
      await client.close();
    }
  });
  test(`SDK 2.x, ${title}: out into the world and back`, async (t) => {
    const client = await connect(transport(home, await home.token()), mode);
    // What a supervisor is sent goes round the proxy that keeps what Controllers are: it may see more.
    const supervisor = await connect(http({ url: home.direct }, await home.token('supervisor')), mode);
    try {
      await outside(t, client, home, supervisor);
    } finally {
      await client.close();
      await supervisor.close();
    }
  });
}

test('elicitation decides nothing', async (t) => {
  for (const [name, transport, mode] of [
    ['input_required, over HTTP', http, MODERN],
    ['input_required, over stdio', (of, token) => new StdioClientTransport(of.stdio(token)), MODERN],
    ['a request, over HTTP', http, 'legacy'],
  ]) {
    await t.test(name, async () => {
      const told = [], client = await connect(transport(home, await home.token()), mode, told);
      try {
        await elicited(client, home, await open(client, home), told);
      } finally {
        await client.close();
      }
    });
  }
});

test('it finds out by itself which generation is spoken', async () => {
  const client = await connect(http(home, await home.token()), 'auto');
  assert.equal(client.version, '2026-07-28');
  await client.close();
});

test('a token that nobody has is refused before anything else', async () => {
  await assert.rejects(connect(http(home, { text: `kh-k0000000000000000-${'0'.repeat(64)}` }), 'legacy'));
});

test('no canary in what Controllers were sent', () => assert.deepEqual(home.leaked(), []));

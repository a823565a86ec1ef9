// A real client that is led by another program, for tests/system/upstream_servers: it connects to Keyhole over HTTP or
// standard streams, and does what each line of its standard input says.
//
//   node agent.mjs KIND URL TOKEN_FILE
//
// KIND: sdk1 (SDK 1.x), initialize (SDK 2.x, the generation with sessions), stateless (SDK 2.x, 2026-07-28), or stdio
// (the same, over `keyhole mcp`; then URL is the program).  A line in is {"tools": true} or {"call": NAME, "arguments": {}}.
// A line out is {"result": ...} or {"error": {code, message}}; the first has the version that was agreed on.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [kind, where, file] = process.argv.slice(2);
const require = createRequire(join(process.env.KEYHOLE_NPM, 'package.json'));
const LONG = { timeout: 170000 };

async function old() {
  const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const client = new Client({ name: 'agent', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: headers() } });
  await client.connect(transport);
  return { client, version: transport.protocolVersion, call: (params) => client.callTool(params, undefined, LONG) };
}

async function recent(mode) {
  const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');
  const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');
  const client = new Client({ name: 'agent', version: '2' }, { versionNegotiation: { mode } });
  await client.connect(kind === 'stdio'
    ? new StdioClientTransport({ command: where, args: ['mcp', '--token-file', file], env: process.env, stderr: 'ignore' })
    : new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: headers() } }));
  return { client, version: client.getNegotiatedProtocolVersion(), call: (params) => client.callTool(params, LONG) };
}

function headers() {
  return { Authorization: `Bearer ${readFileSync(file, 'utf8').trim()}` };
}

/** All pages of the list. */
async function tools(client) {
  const found = [];
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : undefined);
    found.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor);
  return { tools: found };
}

function say(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

const { client, version, call } = kind === 'sdk1' ? await old() : await recent(kind === 'initialize' ? 'legacy' : { pin: '2026-07-28' });
say({ result: { version } });
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  try {
    say({ result: order.call ? await call({ name: order.call, arguments: order.arguments }) : await tools(client) });
  } catch (error) {
    say({ error: { code: error.code ?? 0, message: String(error.message ?? error) } });
  }
}
await client.close();

// Clients of node for tests/system/real_servers: asks URL three times, one after the other, over one connection if it can.
// Writes what came, or why nothing did and after how many milliseconds.
//
//   node client.mjs fetch|undici|https|http2 URL [MODULES]
import { connect } from "node:http2";
import https from "node:https";
import { createRequire } from "node:module";

const [kind, url, modules] = process.argv.slice(2);

function overHttps() {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  return {
    ask: () => new Promise((resolve, reject) => {
      https.get(url, { agent }, (response) => {
        let body = "";
        response.on("data", (piece) => (body += piece)).on("end", () => resolve(body)).on("error", reject);
      }).on("error", reject);
    }),
    close: () => agent.destroy(),
  };
}

function overHttp2() {
  const session = connect(new URL(url).origin);
  let fail = () => {};
  session.on("error", (error) => fail(error));
  return {
    ask: () => new Promise((resolve, reject) => {
      fail = reject;
      let body = "";
      session.request({ ":path": new URL(url).pathname }).on("data", (piece) => (body += piece))
        .on("end", () => resolve(body)).on("error", reject).end();
    }),
    close: () => session.close(),
  };
}

function overUndici() {
  const { Agent, request } = createRequire(modules + "/")("undici");
  const dispatcher = new Agent({ allowH2: true, connections: 1 });
  return { ask: async () => (await request(url, { dispatcher })).body.text(), close: () => dispatcher.close() };
}

const kinds = {
  fetch: () => ({ ask: async () => (await fetch(url)).text(), close: () => {} }),
  https: overHttps, http2: overHttp2, undici: overUndici,
};
const begun = performance.now();
try {
  const client = kinds[kind]();
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(JSON.parse(await client.ask()));
  console.log(JSON.stringify({ answers }));
  client.close();
} catch (error) {
  const cause = error.cause ?? error.errors?.[0] ?? error;
  console.log(JSON.stringify({ error: String(cause.code ?? cause), ms: performance.now() - begun }));
}

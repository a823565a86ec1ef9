// A web server with TLS for tests/system/real_servers: HTTP/1.1 and HTTP/2 on one port.  Its answers say how it was asked.
//
//   node site.mjs CERTIFICATE KEY PORT
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";

const [certificate, key, port] = process.argv.slice(2);
const server = createSecureServer({ cert: readFileSync(certificate), key: readFileSync(key), allowHTTP1: true });
let connections = 0;

server.on("secureConnection", (socket) => {
  socket.number = ++connections;
});
server.on("request", (request, response) => {
  const socket = request.stream ? request.stream.session.socket : request.socket;
  const number = request.stream ? request.stream.session.number : socket.number;
  const said = {
    http: request.httpVersion, sni: socket.servername, host: request.headers[":authority"] ?? request.headers.host,
    path: request.url, connection: number, results: [{ id: "/box/page", title: "Page of the box", description: "a page" }],
  };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(said) + "\n");
});
server.on("session", (session) => {
  session.number = session.socket.number ?? ++connections;
});
server.listen(Number(port), "0.0.0.0", () => console.log("listening"));

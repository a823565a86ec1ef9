"""A gateway of its own (`keyhole serve`) for the scripts beside this file, and MCP over HTTP to it."""
import http.client
import json
import select
import signal
import subprocess
import time

TIMEOUT = 60
LEGACY = ("2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
BOTH = "application/json, text/event-stream"
META = "io.modelcontextprotocol/"


class Gateway:
    """A gateway over a home (homes.py), on a port of loopback that the kernel picks; ended with `stop`."""

    def __init__(self, home, *options, program=None):
        self.suite, self.home = home.suite, home
        self.process = subprocess.Popen(
            [program or home.suite.program, "serve", "--json", "--listen", "127.0.0.1:0", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=open(home.at("serve.log"), "ab"),
            cwd=home.folder.name, env=home.env)
        ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT)
        line = self.process.stdout.readline() if ready else b""
        self.suite.check(line, "serve did not start: %.500r" % self.log())
        self.host, port = json.loads(line or b'{"listen":["127.0.0.1:1"]}')["listen"][0].rsplit(":", 1)
        self.port = int(port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()

    def log(self):
        with open(self.home.at("serve.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def stop(self):
        """Ends it gracefully; it has to end with 0, and no sanitizer may have said anything."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        self.process.stdout.close()
        self.suite.check(status == 0, "serve ended with %d: %.2000s" % (status, self.log()))
        self.suite.check("Sanitizer" not in self.log() and "runtime error" not in self.log(),
                         "serve: %.4000s" % self.log())

    def open(self, method, path, body=None, headers=None, timeout=TIMEOUT):
        """The response, its body still to be read."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data, headers or {})
        response = connection.getresponse()
        response.connection = connection
        return response

    def ask(self, method, path, body=None, headers=None, timeout=TIMEOUT):
        """Status, headers and the whole body."""
        response = self.open(method, path, body, headers, timeout)
        data = response.read()
        response.connection.close()
        return response.status, response.headers, data


def bearer(token, **more):
    """Headers of a POST to /mcp; a keyword's `_` is a `-` of its header, None leaves one out."""
    headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": BOTH}
    headers.update({name.replace("_", "-"): value for name, value in more.items()})
    return {name: value for name, value in headers.items() if value is not None}


def events(response):
    """The events of a stream, one after the other: (id or None, text); comments and empty events are left out, but an
    event with an id counts."""
    name, data = None, []
    while True:
        line = response.readline()
        if not line:
            return
        line = line.rstrip(b"\r\n").decode()
        if line == "":
            if name is not None or data:
                yield name, "\n".join(data)
            name, data = None, []
        elif line.startswith("id:"):
            name = line[3:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].lstrip(" "))


def messages(response):
    """Everything that a response to a POST says, as messages."""
    if "text/event-stream" in response.headers.get("Content-Type", ""):
        return [json.loads(text) for _, text in events(response) if text]
    data = response.read()
    return [json.loads(data)] if data else []


class Client:
    """An MCP client of one of the versions that begin with `initialize`."""

    def __init__(self, gateway, token, version, capabilities=None):
        self.gateway, self.token, self.version, self.session, self.next = gateway, token, version, None, 1
        status, headers, data = gateway.ask("POST", "/mcp", {
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": version, "capabilities": capabilities or {},
                "clientInfo": {"name": "tests", "version": "1"}}}, bearer(token))
        self.answer = json.loads(data)
        gateway.suite.check(status == 200 and "result" in self.answer, "initialize: %d %.300r" % (status, data))
        self.session = headers.get("Mcp-Session-Id")
        self.version = self.answer.get("result", {}).get("protocolVersion", version)
        status, _, data = self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        gateway.suite.check(status == 202 and not data, "initialized: %d %.300r" % (status, data))

    def headers(self, **more):
        return bearer(more.pop("token", self.token), **{"Mcp_Session_Id": self.session,
                                                        "MCP_Protocol_Version": self.version, **more})

    def post(self, message, **more):
        """Status, headers and body of a POST in the session."""
        return self.gateway.ask("POST", "/mcp", message, self.headers(**more))

    def open(self, method, params=None, **more):
        """The response to a request, still to be read."""
        self.next += 1
        return self.gateway.open("POST", "/mcp", {"jsonrpc": "2.0", "id": self.next, "method": method,
                                                  "params": params or {}}, self.headers(**more))

    def call(self, method, params=None, **more):
        """The answer to a request: the message with its id."""
        response = self.open(method, params, **more)
        said = messages(response)
        response.connection.close()
        mine = [message for message in said if message.get("id") == self.next]
        self.gateway.suite.check(len(mine) == 1, "%s: %d %.300r" % (method, response.status, said))
        return mine[0] if mine else {}

    def end(self):
        status, _, _ = self.gateway.ask("DELETE", "/mcp", None, self.headers())
        self.gateway.suite.check(200 <= status < 300, "DELETE: %d" % status)


def modern(method, params=None, number=1, meta=None, **more):
    """Body and headers (but Authorization) of a request of 2026-07-28."""
    params = dict(params or {})
    params["_meta"] = {META + "protocolVersion": MODERN, META + "clientCapabilities": {}, **(meta or {})}
    headers = {"MCP_Protocol_Version": MODERN, "Mcp_Method": method}
    if isinstance(params.get("name", params.get("uri")), str):
        headers["Mcp_Name"] = params.get("name", params.get("uri"))
    headers.update(more)
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}, headers

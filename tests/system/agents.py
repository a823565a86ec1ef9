"""Controllers over MCP for the scripts beside this file, and a home with upstream servers.

An Agent speaks either generation of MCP over HTTP, and keeps every byte that it is sent: answers, headers, and what comes
unasked.  Upstreams is a home whose `upstreams:` and `policy.tools` a script fills in.
"""
import json
import os
import re
import threading
import time

from gateways import META, MODERN, Client, Gateway, bearer, events, modern
from homes import Home

REASON = "The user asked for what this note says today."
PATIENCE = 120
OPEN = ("running", "waiting")  # what is not decided yet, and needs nobody
POLICY = """
  release: %(release)s
  egress_bytes: 100000000
  budgets: {task_bits: 1000000, context_bits: 100000000}
  approvals: {expiry_seconds: 600}
  tools:
%(tools)s"""


def masked(value):
    """A value with the ids in it replaced, so that two runs can be compared."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return re.sub(r"\b[a-z][0-9a-f]{16}\b", "ID", text)


class Agent:
    """A Controller of one version of MCP."""

    def __init__(self, gateway, token, version=MODERN, quiet=False):
        """QUIET: it hears nothing unasked, and an answer that does not come is for the caller to judge."""
        self.quiet, self.gateway, self.suite, self.token, self.version = quiet, gateway, gateway.suite, token, version
        self.heard, self.lock, self.number = bytearray(), threading.Lock(), 0
        self.client = None if version == MODERN else Client(gateway, token, version)
        if self.client:
            self.hear(json.dumps(self.client.answer).encode())
        self.task = None
        if not quiet:
            threading.Thread(target=self.listen, daemon=True).start()

    def hear(self, data):
        with self.lock:
            self.heard += data

    def has_heard(self, *words):
        """Which of WORDS came, whatever the case of their letters."""
        with self.lock:
            text = bytes(self.heard).lower()
        return [word for word in words if word.lower().encode() in text]

    def request(self, method, params):
        """Body and headers; a number of its own for each, because several threads may ask."""
        with self.lock:
            self.number += 1
            number = self.number
        if self.client:
            return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}, self.client.headers()
        body, headers = modern(method, params, number=number)
        return body, bearer(self.token, **headers)

    def listen(self):
        """What comes unasked, for as long as the gateway lives."""
        try:
            if self.client:
                response = self.gateway.open("GET", "/mcp", None, {
                    "Authorization": "Bearer " + self.token, "Accept": "text/event-stream", "Mcp-Session-Id": self.client.session or "",
                    "MCP-Protocol-Version": self.version}, timeout=3600)
            else:
                body, headers = self.request("subscriptions/listen", {"notifications": {"toolsListChanged": True}})
                response = self.gateway.open("POST", "/mcp", body, headers, timeout=3600)
            for name, text in events(response):
                self.hear(("%s %s\n" % (name, text)).encode())
        except (OSError, ValueError):
            pass  # the gateway has ended

    def send(self, method, params=None, progress=True, timeout=PATIENCE):
        """The answer; all that came with it is kept."""
        params = dict(params or {})
        body, headers = self.request(method, params)
        if progress and method == "tools/call":
            body["params"]["_meta"] = {**body["params"].get("_meta", {}), "progressToken": "p%d" % body["id"]}
        response = self.gateway.open("POST", "/mcp", body, headers, timeout=timeout)
        data = response.read()
        response.connection.close()
        self.hear(str(response.headers).encode() + data)
        if "text/event-stream" in response.headers.get("Content-Type", ""):
            said = [json.loads(line[5:]) for line in data.decode().split("\n") if line.startswith("data:") and line[5:].strip()]
        else:
            said = [json.loads(data)] if data else []
        mine = [message for message in said if message.get("id") == body["id"] and "method" not in message]
        self.quiet or self.suite.check(len(mine) == 1, "%s: %s: %d %.300r" % (self.version, method, response.status, data))
        return mine[0] if mine else {}

    def tools(self):
        """All of them, page by page."""
        found, cursor = [], None
        while True:
            result = self.send("tools/list", {"cursor": cursor} if cursor else {}).get("result", {})
            found += result.get("tools", [])
            cursor = result.get("nextCursor")
            if not cursor:
                return found

    def offered(self, server):
        """The tools of one server, by their names."""
        return {one["name"]: one for one in self.tools() if one["name"].startswith(server + "__")}

    def result(self, name, arguments):
        """What tools/call gives: {"code": ...} with the code of a refusal, or the structured answer."""
        answer = self.send("tools/call", {"name": name, "arguments": arguments})
        result = answer.get("result", {})
        if "error" in answer or result.get("isError"):
            error = result.get("_meta", {}).get("keyhole/error", {})
            return {"code": error.get("code") or str(answer.get("error", {}).get("code")), "refusal": answer}
        try:
            return json.loads(result["content"][0]["text"])
        except (KeyError, IndexError, ValueError):
            self.quiet or self.suite.check(False, "%s: %s: no JSON in %.400r" % (self.version, name, answer))
            return {}

    def call(self, name, /, **arguments):
        """One of Keyhole's own tools, waited for as long as nobody has to decide."""
        return self.ended(self.result(name, arguments))

    def ended(self, value):
        end = time.monotonic() + PATIENCE
        while value.get("outcome") in OPEN and time.monotonic() < end:
            value = self.result("approval_wait", {"id": value.get("declaration") or value.get("query")})
        return value

    def execute(self, title="notes", operations=()):
        """A task of its own, in execution."""
        self.task = self.call("task_open", title=title).get("task")
        begun = self.call("begin_execution", task=self.task, plan="Read the notes that the user named.",
                          **({"required_operations": list(operations)} if operations else {}))
        self.suite.check(begun.get("outcome") == "execution", "%s: begin_execution: %r" % (self.version, begun))
        return self.task

    def use(self, tool, /, wait=True, reason=REASON, **arguments):
        """An upstream tool."""
        value = self.result(tool, {**arguments, "keyhole": {"reason": reason, "task": self.task}})
        return self.ended(value) if wait else value

    def asked(self, block, fields):
        """Category 1, put to `extract`."""
        return self.call("BCPQuery", category=1, target="extract", task=self.task, blocks=[block], fields=fields)


class Upstreams(Home):
    """A home with upstream servers."""

    def configure(self, servers, tools, release="immediate", **sections):
        """SERVERS and TOOLS are lists of maps: entries of `upstreams:` and of `policy.tools:`."""
        self.section("upstreams", "".join("\n  - " + json.dumps(one) for one in servers))
        self.section("policy", POLICY % {"release": release, "tools": "".join("    - %s\n" % json.dumps(one) for one in tools)})
        for name, text in sections.items():
            self.section(name, text)

    def review(self, name, status=None):
        """What `upstream review` shows."""
        done = self.run("upstream", "review", "--json", name)
        self.suite.check(done.returncode in ((0, 1) if status is None else (status,)), "review of %s: %d %.600r %.600r" % (
            name, done.returncode, done.stdout, done.stderr))
        return json.loads(done.stdout or b"{}")

    def states(self, name):
        return {one["name"]: one["state"] for one in self.review(name).get("tools", [])}

    def approve(self, name, *more):
        """All that it offers now."""
        shown = self.review(name)
        done = self.run("upstream", "review", "--json", name, "--approve", shown.get("digest", ""), *more)
        return self.suite.check(done.returncode == 0, "approval of %s: %d %.600r %.600r" % (
            name, done.returncode, done.stdout, done.stderr))

    def token(self, name):
        """A new Controller, which has seen nothing."""
        return self.ok("token", "create", name).strip()

    def audit(self, *kinds):
        """Events of the record, or those of KINDS."""
        lines = self.ok("audit", "export").splitlines()
        found = [json.loads(one)["event"] for one in lines if one]
        return [one for one in found if not kinds or one["kind"] in kinds]

    def verify(self):
        self.ok("audit", "verify", "--state")


__all__ = ["Agent", "Gateway", "META", "MODERN", "Upstreams", "masked", "os"]

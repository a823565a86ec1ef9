"""Something outside of a gateway, for the scripts beside this file: an https server, a database, files, commands.

enter() moves the process into a network of its own (network.py), in which the names of NAMES are this machine; all that
the server sees is in `server.requests`.  Outside is a home whose configuration reaches these and nothing else.
"""
import json
import os
import sqlite3
import tempfile
import time
import urllib.parse

import network
import webserver
from gateways import Client, Gateway, bearer, messages, modern
from homes import Home

NAMES = ("shop.example", "www.shop.example", "evil.example", "other.example", "unsafe.example", "closed.example")
PORT = 443
JUSTIFICATION = {"user_request": "What does product X cost in 2026?",
                 "missing_knowledge": "The current list price of product X.",
                 "expected_use": "Quote the price with its source in the answer."}
REASON = "The user asked what product X costs in 2026."
OPERATIONS = ("comm.search", "comm.fetch", "comm.query", "comm.read", "comm.exec")
PRICE = "The list price of product X is 12 dollars."
# What each operation is tried with; {folder} is where the files are.
GOOD = {
    "comm.search": {"query": "list price of product X", "scope": "internal"},
    "comm.fetch": {"url": "https://shop.example/price"},
    "comm.query": {"database": "sales", "statement": "prices"},
    "comm.read": {"path": "{folder}/price.txt"},
    "comm.exec": {"command": "price"},
}
POLICY = """
  release: %(release)s
  fenced: %(fenced)s
  egress_bytes: 1000000
  budgets: {task_bits: 1000000, context_bits: 100000000}
  operations:
    - {name: comm.search, risk: %(risk)s, rate: 1000/minute}
    - {name: comm.fetch, risk: %(risk)s, rate: 1000/minute, hosts: [%(hosts)s]}
    - name: comm.query
      risk: %(risk)s
      statements:
        - {name: prices, database: sales, sql: "SELECT product, price FROM prices"}
        - {name: endless, database: sales, sql: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"}
    - {name: comm.read, risk: %(risk)s, paths: ["%(folder)s"]}
    - name: comm.exec
      risk: %(risk)s
      effects: none
      commands:
        - {name: price, argv: [/bin/echo, "The list price of product X is 12 dollars."]}
%(commands)s"""


def enter(folder):
    """Into a network in which NAMES are this machine.  To be called before there are threads."""
    network.enter()
    network.raise_loopback()
    for name, text in (("hosts", "127.0.0.1 localhost " + " ".join(NAMES) + "\n"),
                       ("resolv.conf", "nameserver 127.0.0.1\n")):
        own = os.path.join(folder, name)
        with open(own, "w", encoding="ascii") as file:
            file.write(text)
        network.replace("/etc/" + name, own)


def serving(folder, serve):
    """The https server, and the file with its authority's certificate."""
    authority = webserver.Authority(folder)
    good = [name for name in NAMES if name != "unsafe.example"]
    context = authority.context("server", good)
    return webserver.WebServer({PORT: context}, serve, versions=(4,)), authority.certificate


class Outside:
    """A home with the configuration, and what it reaches."""

    def __init__(self, suite, authority, risk="low", release="immediate", fenced="never", commands="", more="",
                 hosts=", ".join(NAMES), policy=None):
        self.suite, self.home, self.gateway = suite, Home(suite), None
        self.files = self.home.at("files")
        os.mkdir(self.files)
        self.home.write("files/price.txt", PRICE + "\n")
        self.database = self.home.at("sales.db")
        with sqlite3.connect(self.database) as database:
            database.execute("CREATE TABLE prices (product TEXT, price INTEGER)")
            database.execute("INSERT INTO prices VALUES ('X', 12), ('Y', 13)")
        database.close()
        for place in (self.home.folder.name, self.files):
            os.chmod(place, 0o755)
        words = {"release": release, "fenced": fenced, "risk": risk, "hosts": hosts, "folder": self.files,
                 "commands": "".join("        - %s\n" % one.replace("{files}", self.files) for one in commands.splitlines()
                                     if one.strip())}
        self.home.section("policy", (policy or POLICY) % words)
        self.home.section("databases", "\n  - {name: sales, file: \"%s\", seconds: 2}" % self.database)
        self.home.section("search", "\n  folders: [\"%s\"]" % self.files)
        self.home.section("network", "\n  private_hosts: [%s]\n  authority: \"%s\"" % (", ".join(NAMES), authority))
        if more:
            name, _, text = more.partition(":")
            self.home.section(name, text.replace("{files}", self.files))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.gateway is not None:
            self.gateway.__exit__()
        self.home.__exit__()

    def start(self):
        self.gateway = Gateway(self.home)
        return self.gateway

    def token(self, role):
        return self.home.read(role + ".token").strip()

    def new_token(self, name, role="controller"):
        done = self.rest("POST", "/tokens", self.token("host" if role == "controller" else "admin"),
                         {"name": name, "role": role})[1]
        return done["token"]

    def parameters(self, operation):
        return {name: value.replace("{folder}", self.files) if isinstance(value, str) else value
                for name, value in GOOD[operation].items()}

    def rest(self, method, path, token, body=None, timeout=120):
        """Status and value."""
        status, _, data = self.gateway.ask(method, "/api/v1" + path, body,
                                           {"Authorization": "Bearer " + token, "Content-Type": "application/json"},
                                           timeout)
        return status, json.loads(data) if data else None

    def task(self, token=None, plan=OPERATIONS):
        """A new task; in execution with a plan that names these, or still planning where PLAN is None."""
        token = token or self.token("controller")
        status, task = self.rest("POST", "/tasks", token, {"title": "prices"})
        self.suite.check(status in (200, 201), "a task: %d %r" % (status, task))
        if plan is not None:
            status, value = self.rest("POST", "/tasks/%s/execution" % task["task"], token,
                                      {"plan": "Look the price of product X up.", "required_operations": list(plan)})
            self.suite.check(status == 200, "execution: %d %r" % (status, value))
        return task["task"]

    def call(self, task, operation=None, parameters=None, token=None, wait=30, **more):
        """POST /tasks/.../operations; status and value."""
        body = dict(more)
        if operation is not None:
            body["declare"] = {"operation": operation, "phase": "execution", "session_id": task,
                               "parameters": self.parameters(operation) if parameters is None else parameters,
                               "justification": JUSTIFICATION}
        return self.rest("POST", "/tasks/%s/operations?wait=%d" % (task, wait), token or self.token("controller"), body)

    def ended(self, task, value, token=None):
        """What a call has come to in the end, where it was still running."""
        while value.get("outcome") == "running":
            _, value = self.call(task, token=token, declaration=value["declaration"])
        return value

    def decide(self, approval, decision="approve", role="reviewer", **more):
        """All pages are shown, then it is decided.  Status and value."""
        token, page, pages, shown = self.token(role), 1, 1, {}
        while page <= pages:
            status, shown = self.rest("GET", "/approvals/%s?page=%d" % (approval, page), token)
            if status != 200:
                return status, shown
            pages, page = shown.get("pages", 1), page + 1
        return self.rest("POST", "/approvals/%s/decision" % approval, token,
                         {"decision": decision, "digest": shown["digest"], **more})

    def store(self, statement, *values):
        """Rows of the store, as they are."""
        connection = sqlite3.connect("file:%s?mode=ro" % urllib.parse.quote(self.store_file()), uri=True, timeout=60)
        try:
            return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def store_file(self):
        names = [name for name in os.listdir(self.home.path) if name.endswith(".db")]
        self.suite.check(len(names) == 1, "the store: %r" % names)
        return os.path.join(self.home.path, names[0])

    def contents(self):
        """Every sealed block's (content, attribution)."""
        return self.store("SELECT content, attribution FROM blocks WHERE kind = 'sealed' ORDER BY id")

    def audit(self, kind=None):
        """All events, or those of a kind, from `keyhole audit export`."""
        lines = self.home.ok("audit", "export").splitlines()
        events = [json.loads(one)["event"] for one in lines if one]
        return [event for event in events if kind is None or event["kind"] == kind]

    def verify(self):
        """The audit, and the state that follows from it."""
        self.home.ok("audit", "verify", "--state")


def tool(client, name, **arguments):
    """What a tool answers: the structured content, or {"error": text}."""
    answer = client.call("tools/call", {"name": name, "arguments": arguments})
    result = answer.get("result", {})
    if result.get("isError") or "error" in answer:
        return {"error": json.dumps(answer.get("error") or result)}
    return result.get("structuredContent", {})


def until(suite, what, true, seconds=60):
    """Waits until TRUE() is; its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = true()
        if value:
            return value
        time.sleep(0.02)
    suite.check(False, "waited in vain: " + what)
    return None


__all__ = ["Client", "Outside", "bearer", "enter", "messages", "modern", "serving", "tempfile", "tool", "until"]

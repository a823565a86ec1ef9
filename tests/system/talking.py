"""Asking upstream MCP servers, for upstream_talk: the driver, servers over stdio in the sandbox, and servers over HTTP."""
import http.server
import itertools
import json
import os
import queue
import signal
import socketserver
import subprocess
import threading
import time

from mcpserver import MODERN, OLD

PATIENCE = 60
WALL = 30000
PYTHON = "/usr/bin/python3"
INFO = {"name": "hostile", "title": "A server", "version": "1.2"}
CAN = {"tools": {}, "resources": {}}
NEW = {"discover": {"resultType": "complete", "supportedVersions": [MODERN], "capabilities": CAN,
                    "instructions": "Be good.", "_meta": {"io.modelcontextprotocol/serverInfo": INFO}}}
AGED = {"initialize": {"protocolVersion": OLD, "capabilities": CAN, "serverInfo": INFO, "instructions": "Be good."}}
BOTH = {**NEW, **AGED}
UNKNOWN = {"code": -32601, "message": "no such method"}


class Talking:
    """build/tests/upstream/talking, with a thread that reads it."""

    def __init__(self, place, servers, driver="talking", **settings):
        self.suite, self.numbers = place.suite, itertools.count(1)
        settings = {"pool": 1, "replaced": False, **settings, "servers": servers}
        self.process = subprocess.Popen([place.path(driver), place.program, json.dumps(settings)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.told, self.queues = queue.Queue(), {}
        self.executor = json.loads(self.process.stdout.readline())["executor"]
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            value = json.loads(line)
            if not self.take(value):
                (self.queues[value["order"]] if "order" in value else self.told).put(value)
        for waiting in (*self.queues.values(), self.told):  # whoever still waits
            waiting.put({"end": "talking ended", "code": "", "why": ""})

    def take(self, value):
        """True if VALUE is neither told nor the end of an order."""
        return False

    def order(self, **order):
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()

    def tell(self, **order):
        self.order(**order)
        return self.told.get(timeout=PATIENCE)

    def begin(self, kind, server=0, wall=WALL, **more):
        number = next(self.numbers)
        self.queues[number] = queue.Queue()
        self.order(**{kind: number}, server=server, wall=wall, **more)
        return number

    def end(self, number):
        return self.queues[number].get(timeout=PATIENCE)

    def open(self, server=0, **more):
        return self.end(self.begin("open", server, **more))

    def ask(self, *actions, server=0, method="tools/call", name="x", **more):
        return self.end(self.begin_ask(*actions, server=server, method=method, name=name, **more))

    def begin_ask(self, *actions, server=0, method="tools/call", name="x", **more):
        more.setdefault("params", {"name": name, "do": actions})
        return self.begin("ask", server, method=method, name=name, **more)

    def list(self, server=0, **more):
        return self.end(self.begin("list", server, **more))

    def open_again(self, server=0):
        """Opens a session behind the pause after a life that failed."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            got = self.open(server)
            if got.get("code") != "server_paused":
                return got
            time.sleep(0.1)
        return got

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.suite.check(False, "talking does not end")
            self.process.kill()
        errors = self.process.stderr.read()
        self.process.stderr.close()
        self.suite.check(self.process.returncode == 0, "talking ended with %r: %s" % (self.process.returncode, errors))
        return errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.process.stdin.closed:
            self.close()


class Stdio:
    """A server over stdio, and what it has read."""

    count = itertools.count(1)

    def __init__(self, place, settings, **more):
        self.suite = place.suite
        self.path = place.path("log", "%d" % next(self.count))
        with open(self.path + ".json", "w", encoding="utf-8") as file:
            json.dump(settings, file)
        self.at = {"argv": [PYTHON, place.path("mcpserver.py"), self.path, self.path + ".json"],
                   "read": [place.path("mcpserver.py")], "write": [place.path("log")], "starts": 64, **more}

    def lines(self):
        try:
            with open(self.path, encoding="utf-8") as file:
                return file.read().splitlines()
        except OSError:
            return []

    def starts(self):
        return self.lines().count("start")

    def got(self, *methods):
        """The messages that came, or those of METHODS."""
        messages = [json.loads(line) for line in self.lines() if line != "start"]
        return [one for one in messages if not methods or one.get("method") in methods]

    def wait_for(self, true, what):
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if true():
                return
            time.sleep(0.02)
        self.suite.check(False, "waited in vain for %s: %s" % (what, self.lines()))


class Asked:
    """One request over HTTP, and how it is answered."""

    def __init__(self, web, handler):
        self.web, self.handler, self.method = web, handler, handler.command
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = handler.rfile.read(int(self.headers.get("content-length", 0)))
        self.message = json.loads(self.body) if self.body else {}
        self.what = self.message.get("method") or ("answer" if self.body else self.method)

    def status(self, number, body=b"", kind="text/plain", **headers):
        self.handler.send_response(number)
        for name, value in {"Content-Type": kind, "Content-Length": len(body), **headers}.items():
            self.handler.send_header(name.replace("_", "-"), str(value))
        self.handler.end_headers()
        self.handler.wfile.write(body)

    def json(self, number=200, headers=None, **message):
        self.status(number, json.dumps({"jsonrpc": "2.0", "id": self.message.get("id"), **message}).encode(),
                    "application/json", **(headers or {}))

    def events(self, *messages):
        """A stream of MESSAGES, which ends with the connection."""
        self.handler.send_response(200)
        self.handler.send_header("Content-Type", "text/event-stream")
        self.handler.send_header("Connection", "close")
        self.handler.end_headers()
        for message in messages:
            if callable(message):
                message()
            else:
                self.handler.wfile.write(b"data: " + json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n\n")
                self.handler.wfile.flush()
        self.handler.close_connection = True


def discover(asked):
    asked.json(result=NEW["discover"])


def refuse_discover(asked):
    """As the servers of the older generation do that want a session."""
    asked.json(400, error={"code": -32000, "message": "no session"})


def initialize(asked):
    asked.web.sessions.append("session-%d" % (len(asked.web.sessions) + 1))
    asked.json(result=AGED["initialize"], headers={"Mcp_Session_Id": asked.web.sessions[-1]})


def call(asked):
    asked.json(result={"n": asked.message["params"].get("n")})


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True
    server_bind = socketserver.TCPServer.server_bind  # without a look at the machine's name


class Web:
    """A server over HTTP: what it does with each method, and what it was asked."""

    def __init__(self, **does):
        self.does = {"server/discover": refuse_discover, "initialize": initialize, "DELETE": lambda asked: asked.status(200),
                     **{name.replace("__", "/"): what for name, what in does.items()}}
        self.asked, self.sessions = [], []
        web = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):  # pylint: disable=invalid-name
                asked = Asked(web, self)
                web.asked.append(asked)
                otherwise = call if "id" in asked.message and "method" in asked.message else lambda one: one.status(202)
                web.does.get(asked.what, otherwise)(asked)

            do_DELETE = do_POST

            def log_message(self, *_):  # pylint: disable=arguments-differ
                pass

        self.server = Listener(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.host = "127.0.0.1:%d" % self.server.server_address[1]
        self.at = {"url": "http://%s/mcp" % self.host, "plain": True, "hosts": [self.host]}

    def got(self, *whats):
        return [one for one in self.asked if not whats or one.what in whats]


def parent_of(pid):
    with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def kill_executor(place):
    """Kills the one executor that runs, whose parent is its spawner."""
    running = dict(place.processes())
    executors = [pid for pid, words in running.items() if b" executor" in words and parent_of(pid) in running and
                 b" executor" not in running[parent_of(pid)]]
    place.suite.check(len(executors) == 1, "E8: which is the executor? %s" % running)
    os.kill(executors[0], signal.SIGKILL)

"""MCP servers that people use (tests/servers), and a client for one that speaks over its standard streams.

SERVERS has how each is started, what the sandbox must grant it, and calls with what must come back: the same wherever the
servers are put, into the sandbox alone or behind the gateway.  The words of a command may have these in braces:

    {node}      the program node
    {modules}   the folder of the npm packages
    {own}       the folder tests/servers
    {folder}    a folder of the test's own, with docs/, notes/ and repo/ in it (furnish() makes them)
    {browser}   Chromium
    {database}  a connection string of PostgreSQL
    {host}      where {database} is, host:port
    {site}      a web site with TLS; {authority} is the file with the certificate to trust
"""
import glob
import json
import os
import selectors
import shutil
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NPM = os.path.join(ROOT, "build-npm")
PATIENCE = 60
BROWSER = "/usr/lib/chromium/chromium-headless-shell"

PAGE = "data:text/html,<title>Box</title><h1>Hello box</h1>"
# Playwright keeps a browser of its own behind a socket of the family AF_UNIX, and watches a folder; one that is started
# beside it is reached over the loopback.
PLAYWRIGHT = """mkfifo /tmp/ready
{node} {modules}/playwright-core/cli.js launch-server --browser chromium --config {folder}/launch.json </dev/null >/tmp/ready &
read -r line </tmp/ready
exec {node} {modules}/@playwright/mcp/cli.js --config {folder}/browser.json
"""
LAUNCH = {"executablePath": BROWSER, "chromiumSandbox": False, "headless": True, "args": ["--no-zygote"],
          "host": "127.0.0.1", "port": 9321, "wsPath": "/browser"}
REMOTE = {"browser": {"browserName": "chromium", "remoteEndpoint": "ws://127.0.0.1:9321/browser", "isolated": True}}


def official(name):
    return "{modules}/@modelcontextprotocol/server-%s/dist/index.js" % name


def fill(value, words):
    """VALUE, a text or what has texts in it, with WORDS for what is in braces."""
    if isinstance(value, str):
        for word, text in words.items():
            value = value.replace("{%s}" % word, text)
        return value
    if isinstance(value, dict):
        return {name: fill(one, words) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [fill(one, words) for one in value]
    return value


class Server:
    """One of SERVERS.  GRANTS are options of `sandbox run` beside the program's own folders; CALLS are (tool, arguments,
    a text that must be in the result), and with a `!` before the text a result that is an error."""

    def __init__(self, name, command, calls, grants=(), tools=1, needs=()):
        self.name, self.command, self.calls, self.grants = name, command, calls, grants
        self.tools = tools  # how many at least
        self.needs = needs  # of "browser", "database", "site"


WEB = ("--network", "web.net.example:443", "--env", "NODE_EXTRA_CA_CERTS={authority}", "--read", "{authority}")
BROWSERS = ("--processes", "256", "--files", "1024")
SERVERS = (
    Server("everything", ("{node}", official("everything")), (
        ("echo", {"message": "hello"}, "Echo: hello"), ("get-sum", {"a": 2, "b": 40}, "42"),
        ("get-structured-content", {"location": "New York"}, "temperature"), ("get-tiny-image", {}, "image/png")), tools=10),
    Server("filesystem", ("{node}", official("filesystem"), "{folder}/docs"), (
        ("read_text_file", {"path": "{folder}/docs/a.txt"}, "first line"),
        ("write_file", {"path": "{folder}/docs/b.txt", "content": "new"}, "Successfully wrote"),
        ("list_directory", {"path": "{folder}/docs"}, "b.txt"),
        ("read_text_file", {"path": "/etc/passwd"}, "!denied")), grants=("--write", "{folder}/docs"), tools=10),
    Server("memory", ("{node}", official("memory")), (
        ("create_entities", {"entities": [{"name": "Ada", "entityType": "person", "observations": ["likes maps"]}]}, "Ada"),
        ("search_nodes", {"query": "maps"}, "Ada")),
           grants=("--write", "{folder}/notes", "--env", "MEMORY_FILE_PATH={folder}/notes/memory.jsonl"), tools=9),
    Server("sequential-thinking", ("{node}", official("sequential-thinking")), (
        ("sequentialthinking", {"thought": "one", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1},
         "thoughtHistoryLength"),)),
    Server("git", ("{node}", "{modules}/@cyanheads/git-mcp-server/dist/index.js"), (
        ("git_log", {"path": "{folder}/repo"}, "the first commit"), ("git_status", {"path": "{folder}/repo"}, "isClean"),
        ("git_branch", {"path": "{folder}/repo", "mode": "create", "branchName": "side"}, "side")),
           grants=("--write", "{folder}/repo"), tools=20),
    Server("postgres", ("{node}", "{modules}/@modelcontextprotocol/server-postgres/dist/index.js", "{database}"), (
        ("query", {"sql": "SELECT word FROM words ORDER BY word"}, "two"), ("query", {"sql": "DROP TABLE words"}, "!read-only")),
           grants=("--network", "{host}", "--allow", "{host}"), needs=("database",)),
    Server("fetch", ("{node}", "{modules}/mcp-fetch-server/dist/index.js"), (
        # It looks up every name itself, and takes no address that is private: inside, all are.
        ("fetch_json", {"url": "{site}"}, "!resolved to private IP"),
        ("fetch_txt", {"url": "https://elsewhere.net.example/"}, "!fetch")), grants=WEB, tools=4, needs=("site",)),
    Server("context7", ("{node}", "{modules}/@upstash/context7-mcp/dist/index.js"), (
        ("resolve-library-id", {"libraryName": "page", "query": "a page"}, "Page of the box"),),
           grants=(*WEB, "--env", "CONTEXT7_API_URL={site}"), tools=2, needs=("site",)),
    Server("chrome-devtools", (
        "{node}", "{modules}/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js", "--executablePath", "{browser}",
        "--headless", "--isolated", "--chrome-arg=--no-sandbox", "--chrome-arg=--no-zygote", "--no-usage-statistics"), (
            ("new_page", {"url": PAGE}, "Box"), ("take_snapshot", {"pageId": 2}, "Hello box"),
            ("evaluate_script", {"pageId": 2, "function": "() => 6 * 7"}, "42")),
           grants=BROWSERS, tools=20, needs=("browser",)),
    Server("playwright", ("sh", "-c", PLAYWRIGHT), (
        ("browser_navigate", {"url": PAGE}, "Box"), ("browser_snapshot", {}, "Hello box"),
        ("browser_evaluate", {"function": "() => 6 * 7"}, "42")),
           grants=(*BROWSERS, "--env", "CHOKIDAR_USEPOLLING=1", "--read", "{folder}/launch.json", "--read",
                   "{folder}/browser.json"), tools=20, needs=("browser",)),
    Server("python", ("python3", "{own}/server.py"), (
        ("read_file", {"path": "{folder}/docs/a.txt"}, "first line"), ("work", {}, "8 threads, 1000 bytes"),
        ("loopback", {}, "localhost is 127.0.0.1, keyhole is 127.0.0.1"),
        ("environment", {}, "\"/tmp\""), ("write_file", {"path": "{folder}/docs/a.txt", "text": "x"}, "!Error"),
        ("get", {"url": "{site}", "with": "urllib"}, "web.net.example"),
        ("get", {"url": "{site}", "with": "requests"}, "web.net.example"),
        ("get", {"url": "https://elsewhere.net.example/", "with": "urllib"}, "!not known"),
        ("get", {"url": "https://elsewhere.net.example/", "with": "requests"}, "!not known")),
           grants=("--read", "{folder}/docs", "--network", "web.net.example:443", "--read", "{authority}", "--env",
                   "SSL_CERT_FILE={authority}", "--env", "REQUESTS_CA_BUNDLE={authority}"), needs=("site",)),
)


def install():
    """Has tools/npm install them; why not, if it cannot."""
    done = subprocess.run([os.path.join(ROOT, "tools", "npm"), "servers"], stdin=subprocess.DEVNULL, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if done.returncode == 0 else "tools/npm servers: " + done.stdout


def furnish(folder, owner):
    """The folders of {folder}, and a repository of OWNER's in it."""
    for name in ("docs", "notes", "repo"):
        os.makedirs(os.path.join(folder, name))
    for name, text in (("docs/a.txt", "first line\n"), ("repo/a.txt", "text\n"), ("launch.json", json.dumps(LAUNCH)),
                       ("browser.json", json.dumps(REMOTE))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    git = ["git", "-c", "user.name=Somebody", "-c", "user.email=somebody@example.com", "-C", os.path.join(folder, "repo")]
    for words in (["init", "-q"], ["add", "a.txt"], ["commit", "-q", "-m", "the first commit"]):
        subprocess.run([*git, *words], check=True, env={"PATH": os.environ["PATH"], "HOME": folder})
    for at, folders, names in os.walk(folder):
        for name in folders + names:
            os.chown(os.path.join(at, name), owner, owner)
    os.chown(folder, owner, owner)


def browser():
    """The path of a Chromium that needs no window; None if there is none."""
    return BROWSER if os.access(BROWSER, os.X_OK) else None


def node():
    """The program that tools/npm has found."""
    return os.path.realpath(os.path.join(NPM, "node"))


class Ended(Exception):
    """The server has ended, or has said nothing for too long."""


class Client:
    """Starts a server, and talks to it as an MCP client of the generation of sessions."""

    def __init__(self, command, **kwargs):
        self.errors = tempfile.TemporaryFile()
        self.begun = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, **kwargs)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.lines, self.number = b"", 0
        self.noted = []  # the methods of what came unasked

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Ended("it reads no more") from None

    def receive(self, deadline):
        """The next message."""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.lines:
                if not selector.select(max(deadline - time.monotonic(), 0)):
                    raise Ended("no answer in time")
                piece = self.process.stdout.read()
                if not piece:
                    raise Ended("its output has ended")
                self.lines += piece
        line, _, self.lines = self.lines.partition(b"\n")
        return json.loads(line)

    def take(self, message):
        """What is no answer: a notification, or a request of the server's own."""
        self.noted.append(message["method"])
        if "id" in message:
            known = {"roots/list": {"roots": []}, "ping": {}}
            refused = {"code": -32601, "message": "not here"}
            self.send({"id": message["id"], **({"result": known[message["method"]]} if message["method"] in known
                                               else {"error": refused})})

    def request(self, method, params=None, patience=PATIENCE):
        """The answer, with `result` or `error`."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params or {}})
        deadline = time.monotonic() + patience
        while True:
            message = self.receive(deadline)
            if "method" in message:
                self.take(message)
            elif message.get("id") == self.number:
                return message

    def initialize(self, version="2025-06-18"):
        """What the server says of itself, and after how many milliseconds from its start."""
        answer = self.request("initialize", {"protocolVersion": version, "capabilities": {},
                                             "clientInfo": {"name": "keyhole-tests", "version": "1"}})
        took = 1000 * (time.monotonic() - self.begun)
        self.send({"method": "notifications/initialized"})
        return answer.get("result", {}), took

    def tools(self):
        """All of them, page by page."""
        found, cursor = [], None
        while True:
            result = self.request("tools/list", {"cursor": cursor} if cursor else {}).get("result", {})
            found += result.get("tools", [])
            cursor = result.get("nextCursor")
            if not cursor:
                return found

    def call(self, tool, arguments):
        """The result; an error of the protocol is one with isError."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        return answer.get("result", {"isError": True, "content": answer.get("error")})

    def said(self):
        """What it, or who runs it, wrote to standard error."""
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")

    def close(self, patience=PATIENCE):
        """Ends its input; its status, None if it does not end."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        deadline = time.monotonic() + patience
        while self.process.poll() is None and time.monotonic() < deadline:
            try:
                self.process.stdout.read()
            except ValueError:
                break
            time.sleep(0.01)
        status = self.process.poll()
        if status is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        return status


def memory(pid):
    """MiB of all processes below PID, what they share counted once."""
    children = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        children.setdefault(int(text.rpartition(")")[2].split()[1]), []).append(int(text.split()[0]))
    kib, waiting = 0, [pid]
    while waiting:
        waiting += children.get(one := waiting.pop(), [])
        try:
            with open("/proc/%d/smaps_rollup" % one, encoding="ascii") as file:
                kib += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        except OSError:
            continue
    return kib / 1024


def go_client(folder):
    """The client of tests/servers in Go, built into FOLDER; None without Go."""
    go = shutil.which("go")
    if go is None:
        return None
    path = os.path.join(folder, "go-client")
    subprocess.run([go, "build", "-o", path, os.path.join(ROOT, "tests", "servers", "client.go")], check=True, cwd=folder,
                   env={"PATH": os.environ["PATH"], "HOME": folder, "GOCACHE": os.path.join(folder, "go-cache"),
                        "GO111MODULE": "off", "GOFLAGS": "", "GOTOOLCHAIN": "local"})
    os.chmod(path, 0o755)
    return path

"""What bench/gateway and bench/proxy share: programs that run, the load that wrk brings, a gateway with a home of its own."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

SECONDS = int(os.environ.get("KH_BENCH_SECONDS", "5"))
ROUNDS = int(os.environ.get("KH_BENCH_ROUNDS", "3"))


def die(why):
    sys.exit("bench/%s: %s" % (os.path.basename(sys.argv[0]), why))


def row(what, figure, peer="", ratio=0.0, wanted="", met=""):
    print("\t".join([what, figure, peer, "%.2f" % ratio if ratio else "", wanted, met]), flush=True)


def free_port():
    with contextlib.closing(socket.socket()) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port, seconds=60):
    end, last = time.monotonic() + seconds, ""
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError as e:
            last = e
        time.sleep(0.05)
    die("nothing listens on port %d: %s" % (port, last))


def memory(pid):
    """Resident bytes of a process."""
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1)) * 1024


def resident(pid):
    """The same, but what several processes share counts in parts: for sums over processes."""
    with open("/proc/%d/smaps_rollup" % pid, encoding="ascii") as file:
        return int(re.search(r"Pss:\s+(\d+)", file.read()).group(1)) * 1024


@contextlib.contextmanager
def running(argv, port=None, **more):
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=more.pop("stderr", subprocess.DEVNULL),
                               start_new_session=True, **more)
    try:
        if port:
            wait_for(port)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def below(pid):
    """The processes that PID has started, and those that these have started."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open("/proc/%s/stat" % name, encoding="ascii", errors="replace") as file:
                parents.setdefault(int(file.read().rsplit(")", 1)[1].split()[1]), []).append(int(name))
    found, new = [], [pid]
    while new:
        new = [child for parent in new for child in parents.get(parent, [])]
        found += new
    return found


def processor(pid):
    """Seconds of processor time that a process has taken; those of its children are theirs."""
    with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Load:
    """What wrk said: requests a second, and latencies in milliseconds.  "@ID@" in BODY is another number in each request.
    MORE are bodies and headers that come in turn with these."""

    UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60000.0}
    REQUESTS = """local threads, n = 0, 0
function setup(thread) threads = threads + 1 thread:set('first', threads * 1000000000) end
function init() n = first end
function request()
  n = n + 1
  local one = all[n % #all + 1]
  return wrk.format('POST', nil, one.headers, (one.body:gsub('@ID@', string.format('%d', n))))
end
"""

    def __init__(self, url, folder, name, body=None, headers=(), connections=64, more=(), seconds=SECONDS):
        self.name = name
        script = os.path.join(folder, "load.lua")
        with open(script, "w", encoding="utf-8") as file:
            if body is not None:
                file.write("local all = {\n")
                for text, names in ((body, headers), *more):
                    file.write("  {body = [==[%s]==], headers = {%s}},\n" %
                               (text, ", ".join("['%s'] = '%s'" % pair for pair in names)))
                file.write("}\n" + self.REQUESTS)
            # An answer that is none must not count as one; the first says why.
            file.write("local bad = 0\nfunction response(status, headers, body)\n  if (status ~= 200 or body:find('\"isError\":true', 1, true)) "
                       "and bad < 1 then bad = 1 print('BAD', status, body) end\nend\n")
        out = subprocess.run(["wrk", "-t", str(min(2, connections)), "-c", str(connections), "-d", "%ds" % seconds, "--latency", "-s",
                              script, url], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
        self.count = int(re.search(r"(\d+) requests in", out).group(1))
        self.p50, self.p99 = (self.time(out, p) for p in ("50", "99"))
        self.why = (re.search(r"BAD\t(.*)", out) or [0, ""])[1][:300]
        self.bad = int((re.search(r"Non-2xx or 3xx responses: (\d+)", out) or [0, 0])[1])
        self.bad += int((re.search(r"Socket errors:.* timeout (\d+)", out) or [0, 0])[1])
        self.bad += self.why != "" and self.bad == 0

    def time(self, out, percent):
        value, unit = re.search(r"\s%s%%\s+([\d.]+)(us|ms|s|m)\b" % percent, out).groups()
        return float(value) * self.UNITS[unit]


def check(load):
    if load.bad:
        die("%s: %d answers were no success: %s" % (load.name, load.bad, load.why))
    return load


def best(loads):
    return check(max(loads, key=lambda load: load.rate))


def call(url, token, path, body=None):
    request = urllib.request.Request(url + path, method="GET" if body is None else "POST",
                                     data=None if body is None else json.dumps(body).encode(),
                                     headers={"Authorization": "Bearer " + token, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def mcp_call(tool, arguments, number=1):
    """A call of a tool in the stateless version: headers and body."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "_meta": meta}}
    headers = [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream"),
               ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)]
    return headers, json.dumps(body)


class Keyhole:
    def __init__(self, program, folder, yaml):
        self.program, self.home, self.port, self.made = program, os.path.join(folder, "home"), free_port(), 0
        self.url = "http://127.0.0.1:%d" % self.port
        self.environment = dict(os.environ, KEYHOLE_HOME=self.home)
        subprocess.run([program, "init"], check=True, env=self.environment, stdout=subprocess.DEVNULL)
        with open(os.path.join(self.home, "keyhole.yaml"), "w", encoding="utf-8") as file:
            file.write(yaml)

    def serve(self):
        return running([self.program, "serve", "--listen", "127.0.0.1:%d" % self.port], self.port, env=self.environment,
                       stderr=None if os.environ.get("KH_BENCH_LOUD") else subprocess.DEVNULL)

    def controller(self):
        """A fresh controller's token: a context has the budget of the policy under which it was made."""
        self.made += 1
        return call(self.url, self.token("admin"), "/api/v1/tokens", {"name": "c%d" % self.made, "role": "controller"})["token"]

    def token(self, role):
        with open(os.path.join(self.home, role + ".token"), encoding="ascii") as file:
            return file.read().strip()

    def task(self, token, content):
        task = call(self.url, token, "/api/v1/tasks", {"title": "bench"})["task"]
        call(self.url, token, "/api/v1/tasks/%s/blocks" % task, {"source": "mail", "content": content})
        return task

    def outcomes(self):
        """How many queries had which outcome, since it was started."""
        request = urllib.request.Request(self.url + "/metrics", headers={"Authorization": "Bearer " + self.token("admin")})
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read().decode()
        return {name: int(n) for name, n in re.findall(r'keyhole_query_outcomes_total\{outcome="(\w+)"\} (\d+)', text) if int(n)}

"""mcpfoe.py as an upstream server of a home, Controllers in front of it, and what its scripts look at beside it."""
import glob
import json
import os
import shutil
import sqlite3
import time

import mcpfoe
from agents import MODERN, Agent
from mcpfoe import CANARY, digest

LEGACY, PATIENCE, MIB = "2025-11-25", 60, 1 << 20
RULE = {"risk": "low", "effects": "none", "approval": "auto", "tier": "T0", "rate": "1000/minute"}
SEALED = {"outcome", "declaration", "operation", "parameters", "block", "next"}  # all that is told of a call
OK, FAILED, LOST = {"ok"}, {"failed"}, {"unknown"}
BROKEN = FAILED | LOST
# U3: what each request of mcpfoe's is answered with: the result, or the code of an error.
DECLINED = {"elicitation/create": {"action": "decline"}, "sampling/createMessage": -32601, "roots/list": {"roots": []},
            "ping": {}, "tools/call": -32601}


def store(home, statement, *values):
    """Rows of the home's store, as they are."""
    connection = sqlite3.connect("file:%s?mode=ro" % os.path.join(home.path, "keyhole.db"), uri=True, timeout=60)
    try:
        return connection.execute(statement, values).fetchall()
    finally:
        connection.close()


def processes(word):
    """Processes with this word in their name or command line; a test has a process namespace of its own."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file, open(os.path.join(os.path.dirname(path), "comm"), "rb") as name:
                if word in file.read() or word in name.read():
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return [pid for pid in found if pid != os.getpid()]


def memory(pid):
    """The most bytes that a process has had in memory."""
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


class World:
    """The home, servers, a gateway, and Controllers that are all searched in the end."""

    def __init__(self, home, *servers):
        self.home, self.check, self.servers = home, home.suite.check, servers
        self.gateway, self.agents, self.marks = None, [], 0

    def configure(self, release):
        self.home.configure([one.entry for one in self.servers], [{"name": one.name + "__*", **RULE} for one in self.servers],
                            release, gateway="\n  wait_seconds: 1")

    def agent(self, version=MODERN):
        agent = Agent(self.gateway, self.home.token("agent%d" % len(self.agents)), version)
        self.agents.append(agent)
        agent.execute()
        return agent

    def mark(self):
        self.marks += 1
        return "%016x" % (self.marks * 0x9E3779B97F4A7C15 % (1 << 64))

    def until(self, what, true, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if (value := true()):
                return value
            time.sleep(0.05)
        self.check(False, "waited in vain: " + what)
        return None

    def sealed(self, mark):
        """The contents of the blocks of the call with this mark, as the store has them."""
        rows = store(self.home, "SELECT b.content FROM blocks b JOIN declarations d ON b.declaration = d.id"
                     " WHERE d.parameters LIKE ?", "%" + mark + "%")
        return [row[0].decode() if isinstance(row[0], bytes) else row[0] for row in rows]

    def one_end(self, server, how, mark, told, wanted, calls=(1,)):
        """U6, E12: a call has one of the WANTED ends, it was made as often as CALLS says, and what came is sealed once."""
        check, contents, made = self.check, self.sealed(mark), len(server.calls("behave", mark=mark))
        how = "%s, %s" % (server.name, how)
        check(told.get("outcome") in wanted, "%s: outcome %r" % (how, told))
        check(set(told) <= SEALED and ("block" in told) == (told.get("outcome") == "ok" or bool(contents)),
              "E12: %s: it is told %r" % (how, told))
        check(made in calls, "%s: the server got the call %d times" % (how, made))
        check(len(contents) <= 1 and digest(mark) + " second" not in "".join(contents), "%s: sealed is %.300r" % (how, contents))
        if told.get("outcome") == "ok":
            check(len(contents) == 1 and digest(mark) in contents[0] and "second" not in contents[0],
                  "U6: %s: sealed is %.300r" % (how, contents))

    def declined(self, server, mark):
        """U3: each request of the server's was answered, and none got what it asked for."""
        got = [one for one in server.log("answer") if one["mark"] == mark]
        self.check([one["method"] for one in got] == [method for method, _ in mcpfoe.ASKED],
                   "U3: %s asked %r" % (server.name, got))
        for one in got:
            answer = one["answer"]
            said = answer.get("result", answer.get("error", {}).get("code"))
            self.check(said == DECLINED[one["method"]], "U3: %s is answered with %r" % (one["method"], answer))

    def silence(self, what):
        """Not one word of a server's has come to a Controller."""
        for number, agent in enumerate(self.agents):
            with agent.lock:
                text = bytes(agent.heard).lower()
            at = text.find(CANARY.encode())
            self.check(at < 0, "%s: Controller %d was told %r" % (what, number, text[max(at - 200, 0):at + 200]))


class Server:
    """One server of the configuration: its folder, how it is told to be, and what it wrote down."""

    def __init__(self, home, name, **entry):
        self.home, self.name, self.folder, self.now = home, name, home.at(name), {}
        os.mkdir(self.folder)
        shutil.copy(mcpfoe.__file__, self.folder + ".py")
        self.be()
        self.entry = {"name": name, "command": ["/usr/bin/python3", self.folder + ".py", self.folder],
                      "read": [self.folder + ".py"], "write": [self.folder], **entry}

    def be(self, **mode):
        """From now on it is so."""
        self.now.update(mode)
        self.home.write(self.name + "/new.json", json.dumps(self.now))
        os.rename(os.path.join(self.folder, "new.json"), os.path.join(self.folder, "mode.json"))

    def log(self, what=None):
        try:
            with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
                entries = [json.loads(line) for line in file if line.endswith("\n")]
        except OSError:
            return []
        return [one for one in entries if what in (None, one["what"])]

    def calls(self, name=None, /, **arguments):
        """The calls that it got, with these arguments."""
        found = []
        for one in self.log("message"):
            params = one["message"].get("params", {})
            if one["message"].get("method") == "tools/call" and name in (None, params.get("name")) and \
                    arguments.items() <= (params.get("arguments") or {}).items():
                found.append({**one, **params})
        return found

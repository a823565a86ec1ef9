"""mcpfoe.py as an upstream server of a home, and what its scripts look at beside it."""
import glob
import json
import os
import shutil
import sqlite3

import mcpfoe


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

"""An MCP server over stdio that does what it is told, for upstream_talk: it runs in the sandbox, alone, as

    python3 mcpserver.py LOG SETTINGS

LOG gets a line for each start and each line that was read.  SETTINGS is a file of JSON: how it answers the first questions
(`discover`, `initialize`: a result, an error, or a list of actions), its `pages` of tools, and actions to `begin` with.
A request with `do` in its params, or a call with it in its arguments, has that list of actions done: see Server.act().
"""
import json
import os
import random
import select
import socket
import sys
import time

MODERN, OLD = "2026-07-28", "2025-11-25"


class Server:
    def __init__(self, log, settings):
        self.log = open(log, "a", encoding="utf-8", buffering=1)
        self.settings, self.held = settings, b""
        self.note("start")

    def note(self, text):
        self.log.write(text + "\n")

    @staticmethod
    def put(data):
        view = memoryview(data)
        while view:
            view = view[os.write(1, view):]

    def send(self, **message):
        self.put(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def lines(self, wait):
        """The lines that are there, and those that come within WAIT seconds; None at the end."""
        while select.select([0], [], [], wait)[0]:
            data = os.read(0, 1 << 16)
            if not data:
                return None
            self.held += data
            wait = 0
            if self.held.count(b"\n") >= 64:
                break
        *lines, self.held = self.held.split(b"\n")
        return lines

    def act(self, actions, ident):
        """ident is the request's id, or None.  "ID" in a message to send stands for it."""
        for name, *words in actions:
            if name == "send":
                self.put(json.dumps(words[0]).replace('"ID"', json.dumps(ident)).encode() + b"\n")
            elif name == "raw":
                self.put(words[0].encode())
            elif name == "answer":
                self.send(id=ident, result=words[0] if words else {})
            elif name == "times":
                for _ in range(words[0]):
                    self.act(words[1], ident)
            elif name == "pages":
                self.settings["pages"] = words[0]
            elif name == "upload":
                self.upload(*words)
            elif name == "sleep":
                time.sleep(words[0])
            elif name == "error":
                os.write(2, words[0].encode())
            elif name == "exit":
                os._exit(words[0])
            elif name == "close":
                os.close(1)
            elif name == "long":
                self.put(b'{"jsonrpc":"2.0","id":%d,"result":{"a":"' % ident)
                for _ in range(words[0]):
                    self.put(b"x" * (1 << 20))
                self.put(b'"}}\n')

    @staticmethod
    def upload(host, port, size):
        """Sends SIZE bytes, and waits until the other end has got them, or the connection is cut."""
        try:
            with socket.create_connection((host, port), 20) as connection:
                connection.sendall(b"x" * size)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(1)
        except OSError as why:
            os.write(2, b"upload: %s\n" % str(why).encode())

    def first(self, message):
        """The answer to discover or initialize, as the settings have it."""
        answer = self.settings.get(message["method"].rpartition("/")[2], {"code": -32601, "message": "no"})
        if isinstance(answer, list):
            self.act(answer, message["id"])
        elif "code" in answer:
            self.send(id=message["id"], error=answer)
        else:
            self.send(id=message["id"], result=answer)

    def list_tools(self, message):
        pages = self.settings.get("pages", [{"tools": []}])
        cursor = message.get("params", {}).get("cursor")
        page = pages[0] if cursor is None else next(
            (after for before, after in zip(pages, pages[1:]) if before.get("nextCursor") == cursor), pages[-1])
        self.send(id=message["id"], result=page)

    def call(self, message):
        params = message.get("params", {})
        params = {**params, **(params.get("arguments") or {})}
        if "do" in params:
            self.act(params["do"], message["id"])
        else:
            self.send(id=message["id"], result={"n": params.get("n")})
            self.act(self.settings.get("after", []), message["id"])

    def take(self, line):
        self.note(line.decode())
        message = json.loads(line)
        if "method" not in message or "id" not in message:
            return
        if message["method"] in ("server/discover", "initialize"):
            self.first(message)
        elif message["method"] == "tools/list":
            self.list_tools(message)
        else:
            self.call(message)

    def run(self):
        self.act(self.settings.get("begin", []), None)
        lines = []
        while lines is not None:
            if self.settings.get("shuffled"):
                random.shuffle(lines)
            for line in lines:
                self.take(line)
            lines = self.lines(10)


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as told:
        Server(sys.argv[1], json.load(told)).run()

#!/usr/bin/env python3
"""An MCP server of Python alone, for tests/system/real_servers: reads and writes files, starts a program, asks a URL."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading

TEXT = {"type": "string"}
TOOLS = {
    "read_file": {"path": TEXT},
    "write_file": {"path": TEXT, "text": TEXT},
    "environment": {},
    "work": {},
    "loopback": {},
    "get": {"url": TEXT, "with": {"type": "string", "enum": ["urllib", "requests"]}},
}


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write_file(path, text):
    with open(path, "w", encoding="utf-8") as file:
        return str(file.write(text))


def environment():
    return json.dumps({"home": os.path.expanduser("~"), "processors": os.cpu_count(), "pid": os.getpid(),
                       "names": sorted(os.environ)})


def work():
    """Threads, a child process and a temporary file."""
    said = []
    threads = [threading.Thread(target=said.append, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x" * 1000)
        file.flush()
        counted = subprocess.run(["wc", "-c", file.name], stdout=subprocess.PIPE, check=True).stdout.split()[0]
    return "%d threads, %s bytes" % (len(said), counted.decode())


def loopback():
    """A listener of its own, by its names."""
    said = []
    for name in ("localhost", socket.gethostname()):
        with socket.create_server((name, 0)) as listener:
            with socket.create_connection((name, listener.getsockname()[1]), 10) as connection:
                listener.accept()[0].close()
                said.append("%s is %s" % (name, connection.getpeername()[0]))
    return ", ".join(said)


def get(url, **options):
    if options.get("with") == "requests":
        import requests  # pylint: disable=import-outside-toplevel
        return requests.get(url, timeout=20).text
    import urllib.request  # pylint: disable=import-outside-toplevel
    return urllib.request.urlopen(url, timeout=20).read().decode()


def call(params):
    tool = {"read_file": read_file, "write_file": write_file, "environment": environment, "work": work,
            "loopback": loopback, "get": get}.get(params.get("name"))
    try:
        return {"content": [{"type": "text", "text": tool(**params.get("arguments", {}))}]}
    except (OSError, TypeError, ValueError) as why:
        return {"content": [{"type": "text", "text": "%s: %s" % (type(why).__name__, why)}], "isError": True}


def answer(message):
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "python-server", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": name, "description": name, "inputSchema": {"type": "object", "properties": properties}}
                          for name, properties in TOOLS.items()]}
    return call(params) if method == "tools/call" else {}


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}), flush=True)


main()

"""An upstream server of the tests, which does what a file beside it says, and the commands that review it."""
import json
import os

SERVER = r'''
import json, os, sys
folder = os.path.dirname(os.path.abspath(sys.argv[1]))
with open(sys.argv[1]) as file:
    says = json.load(file)
sys.stderr.write(says.get("stderr", ""))
sys.stderr.flush()
if says.get("exit") is not None:
    sys.exit(says["exit"])
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if "id" not in message:
        continue
    answer = {"error": {"code": -32601, "message": "no"}}
    offers = os.path.exists(os.path.join(folder, "resources.json"))
    can = {"tools": {}, **({"resources": {}} if offers else {})}
    if method == "server/discover" and says["modern"]:
        answer = {"result": {"supportedVersions": ["2026-07-28"], "capabilities": can, "resultType": "complete",
                             "instructions": says.get("instructions", "Be kind.")}}
    elif method == "initialize" and not says["modern"]:
        answer = {"result": {"protocolVersion": says.get("version", "2025-06-18"), "capabilities": can,
                             "serverInfo": {"name": says.get("name", "post"), "version": "1"}}}
    elif method == "tools/list":
        at = int(message["params"].get("cursor") or 0)
        page = {"tools": says["tools"][at:at + 2]}
        if at + 2 < len(says["tools"]):
            page["nextCursor"] = str(at + 2)
        answer = {"result": page}
    elif method == "tools/call":
        text = json.dumps(message["params"]["arguments"], sort_keys=True)
        answer = {"result": {"content": [{"type": "text", "text": "called with " + text}]}}
        given = os.path.join(folder, "answers.json")
        if os.path.exists(given):
            with open(given) as file:
                answer = json.load(file).get(message["params"]["name"], answer)
    elif method == "resources/read":
        with open(os.path.join(folder, "resources.json")) as file:
            answer = json.load(file).get(message["params"]["uri"], {"error": {"code": -32002, "message": "no such resource"}})
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
'''


def tool(name, description="Does something", **more):
    return {"name": name, "description": description, "inputSchema": {"type": "object"}, **more}


class Server:
    """The upstream `post` of a home of its own."""

    def __init__(self, home):
        self.home = home
        self.program = home.write("server.py", SERVER)
        self.file = home.at("says.json")
        self.says = {"modern": False, "tools": [tool("read"), tool("send", "Sends a mail"), tool("mail.move")]}
        with open(os.path.join(home.path, "keyhole.yaml"), "a", encoding="utf-8") as file:
            file.write("\nupstreams:\n  - name: post\n    command: [/usr/bin/python3, %s, %s]\n    read: [%s, %s]\n"
                       % (self.program, self.file, self.program, self.home.folder.name))

    def run(self, command, *arguments, status=0, **says):
        """The JSON that the command writes, with the server as SAYS."""
        self.says.update(says)
        self.home.write("says.json", json.dumps(self.says))
        done = self.home.run("upstream", command, "--json", "post", *arguments)
        self.home.suite.check(done.returncode == status, "%s %r: status %s, not %s: %.300r %.300r" % (
            command, arguments, done.returncode, status, done.stdout, done.stderr))
        return json.loads(done.stdout)

    def states(self, status=1, **says):
        shown = self.run("review", status=status, **says)
        return shown, {one["name"]: one["state"] for one in shown["tools"]}

    def approve(self, *arguments, status=0):
        digest = self.run("review", status=1)["digest"]
        return self.run("review", "--approve", digest, *arguments, status=status)

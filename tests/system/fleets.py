"""Calling tools of upstream servers as the gateway does, for upstream_fleet and upstream_sent: the driver, and servers."""
import json

from talking import BOTH, Stdio, Talking

NOTHING = "0" * 64
CHANGED = ["send", {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}]


def tool(name, **more):
    return {"name": name, "inputSchema": {"type": "object"}, **more}


PAGES = [{"tools": [tool("echo"), tool("other")]}]


class Server(Stdio):
    """A server over stdio with tools, and its entry in the configuration."""

    def __init__(self, place, name="post", settings=BOTH, **entry):
        super().__init__(place, {"pages": PAGES, **settings})
        self.entry = {"name": name, "command": self.at["argv"], "read": self.at["read"], "write": self.at["write"],
                      **entry}

    def calls(self):
        return self.got("tools/call")


class Fleet(Talking):
    """build/tests/upstream/fleeting, and what it has reported."""

    def __init__(self, place, *entries, **settings):
        self.seen, self.reports = {}, []
        super().__init__(place, [{"folder": place.folder, "config": json.dumps({"upstreams": list(entries)})}],
                         driver="fleeting", **settings)

    def take(self, value):
        if "seen" in value:
            self.reports.append(value)
            self.seen[value["seen"]] = value
            return True
        return False

    def begin_call(self, *actions, upstream="post", name="echo", context=1, wall=30000, **more):
        seen = self.seen.get(upstream, {"program": NOTHING, "tools": {}})
        arguments = more.pop("arguments", {"do": actions} if actions else {"n": 1})
        order = {"upstream": upstream, "tool": name, "context": context, "arguments": arguments,
                 "program": seen["program"], "hash": seen["tools"].get(name, NOTHING), **more}
        return self.begin("call", wall=wall, **order)

    def call(self, *actions, **more):
        return self.end(self.begin_call(*actions, **more))

    def learn(self, upstream="post"):
        """The first look: a call of what nobody approved is refused, and what the server offers is known."""
        got = self.call(upstream=upstream, context=99999)
        self.suite.check(got["end"] == "held" and "not the one that was approved" in got["why"], "U4: unknown: %s" % got)

    def reload(self, *entries):
        self.tell(reload=json.dumps({"upstreams": list(entries)}))

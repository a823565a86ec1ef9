"""A Controller that looks at all that it can get, again and again, for the scripts about slots (early, upstream_slots)."""
import json
import re
import time

from gateways import Client, bearer

WHY = "The user asked what the minutes say about the budget."
QUERY = {"category": 1, "fields": [{"name": "urgent", "type": "boolean"}]}
CHANGE = ("task_open",)  # a tool that changes something; the others only look, or are refused
WAITS = ("declaration", "id")  # members for which a tool would wait until the slot; REST has them without a wait


class Looker:
    """A Controller over REST, and beside it over MCP with the same token; and a reviewer."""

    def __init__(self, gateway, token, reviewer, operations):
        self.gateway, self.token, self.reviewer, self.check = gateway, token, reviewer, gateway.suite.check
        self.mcp = Client(gateway, token, "2025-11-25")
        self.paths = json.loads(gateway.ask("GET", "/api/v1/openapi.json")[2])["paths"]
        self.tools = {tool["name"]: tool["inputSchema"]["properties"] for tool in self.mcp.call("tools/list")["result"]["tools"]}
        self.task = self.rest("POST", "tasks", {"title": "Minutes"})["id"]
        begun = self.rest("POST", "tasks/%s/execution" % self.task, {
            "plan": "Read the minutes.", "required_operations": operations})
        self.check("error" not in begun, "execution: %r" % begun)
        self.ids = {"task": self.task}

    def rest(self, method, path, body=None, token=None):
        return json.loads(self.gateway.ask(method, "/api/v1/" + path, body, bearer(token or self.token))[2] or b"{}")

    def act(self, path, body):
        value = self.rest("POST", "tasks/%s/%s?wait=0" % (self.task, path), body)
        self.ids.update({name: value[name] for name in ("declaration", "query", "approval") if name in value})
        return value

    def call(self, operation, **parameters):
        return self.act("operations", {"declare": {"operation": operation, "reason": WHY, **parameters}})

    def look(self, method, path, body=None):
        status, headers, data = self.gateway.ask(method, path, body, bearer(self.token))
        return status, sorted((k, v) for k, v in headers.items() if k not in ("Date", "X-Request-Id")), data

    def everything(self):
        """All that it can get now, by name."""
        seen = {}
        for path, item in self.paths.items():
            filled = "/api/v1" + re.sub(r"{(\w+)}", lambda m: self.ids.get(m.group(1), "b0123456789abcdef"), path)
            if "get" in item and item["get"]["operationId"] != "watchEvents":
                seen["GET " + path] = self.look("GET", filled)
        at = "/api/v1/tasks/%s/" % self.task
        if "block" not in self.ids:  # with a block it would be one more query
            seen["a query without a block"] = self.look("POST", at + "queries", {**QUERY, "target": "extract"})
        seen["a query about a block"] = self.look("POST", at + "queries", {
            **QUERY, "target": "extract", "blocks": ["b0123456789abcdef"]})
        if "declaration" in self.ids:
            seen["the call again"] = self.look("POST", at + "operations?wait=0", {"declaration": self.ids["declaration"]})
        for tool, members in self.tools.items():
            if tool not in CHANGE:
                given = {name: value for name, value in self.ids.items() if name in members and name not in WAITS}
                result = self.mcp.call("tools/call", {"name": tool, "arguments": given})
                seen["tool " + tool] = {name: value for name, value in result.items() if name != "id"}
        return seen

    def stays(self, what, is_over, has_ended):
        """Nothing changes until it is over.  What is compared was asked for before that was looked at, so it is of before the
        slot.  Returns what there was to see before it and after it."""
        first, after_end, until = self.everything(), 0, time.monotonic() + 60
        while time.monotonic() < until:
            ended, now = has_ended(), self.everything()
            if is_over():
                break
            after_end += ended
            changed = [name for name in now if now[name] != first.get(name)]
            self.check(not changed, "%s: before its slot: %.900r" % (
                what, [(first.get(name), now[name]) for name in changed[:1]]))
            if changed:
                return first, now
        self.check(after_end > 0, "%s: nothing was looked at between its end and its slot" % what)
        self.check(len(first) > 20, "%s: only %d things were looked at" % (what, len(first)))
        after = self.everything()
        self.check(after != first, "%s: nothing shows at the slot either" % what)
        return first, after

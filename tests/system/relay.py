"""A program that speaks MCP over stdio, as a server over Streamable HTTP: for the scripts beside this file."""
import http.server
import json
import subprocess
import threading

from webfoe import Listener


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, relay = "HTTP/1.1", None

    def log_message(self, *_):
        pass

    def say(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.relay.requests.append((self.command, {}))
        self.say(405)

    do_DELETE = do_GET

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.relay.requests.append((self.command, message))
        answer = self.relay.pass_on(message)
        if answer is None:
            self.say(202)
        elif self.relay.is_stream:
            self.say(200, b"data: " + answer + b"\n\n", Content_Type="text/event-stream")
        else:
            self.say(200, answer, Content_Type="application/json")


class Relay:
    """Runs COMMAND, on a port of loopback; answers are streams of events, or JSON.  `requests` has what came."""

    def __init__(self, command, is_stream=False):
        self.is_stream, self.lock, self.requests = is_stream, threading.Lock(), []
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.listener = Listener(("127.0.0.1", 0), type("Own", (Handler,), {"relay": self}))
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d/mcp" % self.listener.server_address[1]

    def pass_on(self, message):
        """The line that answers MESSAGE, or None for a notification."""
        with self.lock:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
            return self.process.stdout.readline().rstrip(b"\n") if "id" in message else None

    def close(self):
        self.listener.shutdown()
        self.listener.server_close()
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

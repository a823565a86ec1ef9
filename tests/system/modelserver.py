"""A server on loopback that speaks OpenAI's chat completions and Anthropic's messages, well or as badly as it is told.

The first step of a URL's path names what it does (BEHAVIOURS), the rest is the endpoint's own.  `openai` and `anthropic`
are the two APIs: how an answer is wrapped there.
"""
import email.utils
import gzip
import json
import socket
import struct
import threading
import time

PATHS = {"openai": "v1/chat/completions", "anthropic": "v1/messages"}


def completion(content, **more):
    """A chat completion whose message is CONTENT, or these other members of it."""
    message = {"role": "assistant", "content": content, "refusal": None, **more.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": "stop", **more.pop("choice", {})}
    return {"id": "c1", "object": "chat.completion", "choices": [choice], "usage": {"total_tokens": 7}, **more}


def message(answer, **more):
    """A message that calls the tool `answer`."""
    part = {"type": "tool_use", "id": "u1", "name": "answer", "input": answer}
    return {"id": "m1", "type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [part], **more}


def wrap(api, answer, **more):
    return completion(json.dumps(answer), **more) if api == "openai" else message(answer, **more)


def response(status, body, kind="application/json", headers=()):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = ["HTTP/1.1 %d X" % status, "Content-Length: %d" % len(body), *headers]
    if kind:
        lines.append("Content-Type: " + kind)
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Request:
    def __init__(self, target, headers, body):
        _, self.behaviour, self.path = target.split("/", 2)
        self.api = "anthropic" if self.path == PATHS["anthropic"] else "openai"
        self.headers, self.body = headers, body

    def json(self):
        return json.loads(self.body)


class ModelServer:
    """BEHAVIOURS {name: function(server, request, connection) -> bytes or None, who has sent by itself}."""

    def __init__(self, behaviours, context=None):
        """CONTEXT: of TLS."""
        self.behaviours, self.context, self.requests, self.lock = behaviours, context, [], threading.Lock()
        self.at_once = self.most_at_once = self.connections = 0
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def url(self, behaviour, api):
        return "%s://127.0.0.1:%d/%s/%s" % ("https" if self.context else "http", self.port, behaviour, PATHS[api])

    def seen(self, behaviour):
        with self.lock:
            return [request for request in self.requests if request.behaviour == behaviour]

    def accept(self):
        while True:
            connection = self.listener.accept()[0]
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        with self.lock:
            self.connections += 1
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            with connection:
                request = self.read(connection)
                with self.lock:
                    self.requests.append(request)
                data = self.behaviours[request.behaviour](self, request, connection)
                if data is not None:
                    connection.sendall(data)
        except (OSError, ValueError, IndexError):
            pass  # it was left alone, as some behaviours deserve
        finally:
            with self.lock:
                self.at_once -= 1

    @staticmethod
    def read(connection):
        with connection.makefile("rb") as file:
            target = file.readline().decode("latin-1").split(" ")[1]
            headers = {}
            while (line := file.readline().strip()):
                name, _, value = line.decode("latin-1").partition(":")
                headers[name.strip().lower()] = value.strip()
            return Request(target, headers, file.read(int(headers.get("content-length", 0))))


# --- behaviours --------------------------------------------------------------------------------------------------------


def answering(answer, **more):
    """Always this answer; MORE are members of the response."""
    return lambda server, request, connection: response(200, wrap(request.api, answer, **more))


def saying(status, body, kind="application/json", headers=()):
    return lambda server, request, connection: response(status, body, kind, headers)


def first(times, before, after):
    """BEFORE for the first TIMES requests, then AFTER."""
    return lambda server, request, connection: (
        before if len(server.seen(request.behaviour)) <= times else after)(server, request, connection)


def retry_at(seconds, status=429):
    """A refusal with a Retry-After that is a date, so many seconds from now."""
    return lambda server, request, connection: response(
        status, {}, headers=["Retry-After: " + email.utils.formatdate(time.time() + seconds, usegmt=True)])


def cut(server, request, connection):
    whole = response(200, wrap(request.api, {"fields": {"a": True}}))
    return whole[:-20]


def cut_chunks(server, request, connection):
    return b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"choices\":[{\"in\r\n"


def reset(server, request, connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def silent(server, request, connection):
    """Says nothing until it is left alone."""
    connection.settimeout(60)
    connection.recv(1)


def dripping(server, request, connection):
    """A byte now and then: never done, never silent."""
    data = response(200, wrap(request.api, {"fields": {"a": True}}))
    for at in range(len(data)):
        connection.sendall(data[at:at + 1])
        time.sleep(0.1)


def endless(server, request, connection):
    connection.sendall(b"HTTP/1.1 200 X\r\nContent-Type: application/json\r\n\r\n[")
    while True:
        connection.sendall(b" " * 65536)


BOMB = gzip.compress(b" " * (16 << 20), compresslevel=1)


def bomb(server, request, connection):
    return response(200, BOMB, headers=["Content-Encoding: gzip"])


def streaming(server, request, connection):
    event = b'data: {"choices":[{"index":0,"delta":{"content":"{}"}}]}\n\ndata: [DONE]\n\n'
    return response(200, event, kind="text/event-stream")


def slow(seconds, answer):
    def behave(server, request, connection):
        time.sleep(seconds)
        return response(200, wrap(request.api, answer))
    return behave

"""mcpfoe.py over Streamable HTTP, for upstream_web_foe: the same behaviours, and those that only HTTP has.

A server is threads of the test, on a port of loopback.  It answers with a stream of events or with JSON, as its `style`
says; what a behaviour puts out line by line is an event for each line in a stream, and the body as it is in JSON.
"""
import http.server
import itertools
import json
import socketserver
import threading
import time
import zlib

import mcpfoe
from mcpfoe import CANARY, Foe, poison

STREAM, JSON = "text/event-stream", "application/json"
PATIENCE = 30
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
ENDLESS = 1 << 26  # bytes of what would not end


class Reply(Foe):
    """What is said to one request.  Everything goes through put(), as it does over stdio."""

    def __init__(self, web, handler, message):  # not Foe's, which is a process of its own
        self.web, self.handler, self.message, self.life = web, handler, message, web.name
        self.progress, self.style = None, web.style
        self.last = None  # bytes that its answer ends with; None: it has none yet

    def note(self, **entry):
        self.web.note(**entry)

    def mode(self):
        return self.web.now

    # --- how it is said -------------------------------------------------------------------------------------------------

    def raw(self, data):
        """Bytes instead of an answer of HTTP; the connection ends with them."""
        self.last, self.handler.close_connection = b"", True
        self.handler.wfile.write(data)
        self.handler.wfile.flush()

    def chunk(self, data):
        if data:
            self.handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.handler.wfile.flush()

    def begin(self, status=200, kind=None, last=b"0\r\n\r\n", **headers):
        """The head of an answer; LAST is what it ends with."""
        self.last = last
        self.handler.send_response(status, CANARY)
        given = {"Content_Type": kind or self.style, "Transfer_Encoding": "chunked", "X_Note": poison("header"),
                 "Mcp_Session_Id": self.web.session(self), "Set_Cookie": "a=" + CANARY, **headers}
        for name, value in given.items():
            if value is not None:
                self.handler.send_header(name.replace("_", "-"), str(value))
        self.handler.end_headers()
        if self.style == STREAM:
            self.chunk(b"data: ")

    def status(self, number, body=b"", kind="text/plain", **headers):
        """An answer as a whole."""
        self.style = JSON
        self.begin(number, kind, b"", Transfer_Encoding=None, Content_Length=len(body), **headers)
        self.handler.wfile.write(body)

    def put(self, data):
        if self.last is None:
            self.begin()
        self.chunk(data.replace(b"\n", b"\n\ndata: ") if self.style == STREAM else data)

    def end(self):
        if self.last is None:
            self.status(202)
        self.handler.wfile.write(self.last)

    def text(self, ident, mark):
        """The message that answers."""
        return json.dumps({"jsonrpc": "2.0", "id": ident, "result": self.result(mcpfoe.digest(mark))}).encode()

    def cut(self):
        self.handler.wfile.flush()
        self.handler.connection.close()
        raise ConnectionAbortedError

    def answer(self, ident):
        return self.web.answer(ident)

    def ask(self, method, params):
        """Of all servers and requests: an answer is for the one that asked."""
        ident = "%s-%s-%d" % (CANARY, self.web.name, next(self.web.asked))
        self.send(id=ident, method=method, params=params)
        return ident

    def asks(self, ident, mark):
        self.style = STREAM  # a body of JSON has no place for a request
        super().asks(ident, mark)

    # --- what a process does in another way -----------------------------------------------------------------------------

    def silent(self, ident, mark):
        self.web.over.wait(PATIENCE)

    def crash(self, ident, mark):
        self.put(b'{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s-half' % (
            json.dumps(ident).encode(), CANARY.encode()))
        self.cut()

    def vanish(self, ident, mark):
        self.cut()

    # --- what only HTTP has ---------------------------------------------------------------------------------------------

    def mute(self, ident, mark):
        """Begins to answer, and says nothing."""
        self.begin()
        self.silent(ident, mark)

    def html(self, ident, mark):
        self.status(200, poison("html").encode(), "text/html")

    def wrong_type(self, ident, mark):
        self.status(200, self.text(ident, mark), "text/plain; x=" + CANARY)

    def no_type(self, ident, mark):
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    def other_type(self, ident, mark):
        """Says that it is the other of the two."""
        self.status(200, self.text(ident, mark), STREAM)

    def elsewhere(self, ident, mark):
        self.status(307, Location=self.web.far + "?" + CANARY)

    def to_itself(self, ident, mark):
        self.status(308, Location=self.web.entry["url"])

    def see_other(self, ident, mark):
        self.status(303, Location=self.web.far)

    def bad_chunk(self, ident, mark):
        self.raw(CHUNKED + b"%s\r\n{}\r\n" % CANARY.encode())

    def huge_chunk(self, ident, mark):
        self.raw(CHUNKED + b"ffffffffffffffff\r\n{}")

    def endless_chunk(self, ident, mark):
        """The size of a chunk has no end."""
        self.raw(CHUNKED + b"1;x=")
        for _ in range(ENDLESS >> 16):
            self.raw(b"x" * (1 << 16))

    def two_lengths(self, ident, mark):
        text = self.text(ident, mark)
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nContent-Length: 2\r\n\r\n%s" % (
            len(text), text))

    def short_length(self, ident, mark):
        text = self.text(ident, mark)
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(text) + 9, text))

    def two_answers(self, ident, mark):
        """A second answer of HTTP behind the first, for whoever asks next on the connection."""
        text = self.text(ident, mark)
        whole = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text)
        self.raw(whole + whole.replace(mcpfoe.digest(mark)[:9].encode(), b"stranger "))
        self.handler.close_connection = False

    def hints(self, ident, mark):
        self.handler.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: <https://%s.example/>\r\n\r\n" % CANARY.encode() * 1000)
        self.plain(ident, mark)

    def headers(self, ident, mark):
        self.raw(b"HTTP/1.1 200 OK\r\n")
        for _ in range(ENDLESS >> 16):
            self.raw(b"X-More: %s\r\n" % (b"x" * 1000) * 64)

    def packed(self, ident, mark):
        """64 MiB that were compressed to little."""
        self.status(200, zlib.compress(b"[" + b" " * (1 << 26)), JSON, Content_Encoding="deflate")

    def broken(self, ident, mark):
        self.status(500, poison("status-500").encode())

    def busy(self, ident, mark):
        self.status(503, self.text(ident, mark), JSON, Retry_After="1")

    def denied(self, ident, mark):
        self.status(401, poison("status-401").encode(), WWW_Authenticate='Bearer realm="%s"' % poison("realm"))

    def accepted(self, ident, mark):
        self.status(202)

    def empty(self, ident, mark):
        self.status(200, b"", JSON)

    def gone(self, ident, mark):
        """The session is not known, whichever it is."""
        self.status(404, poison("status-404").encode())

    def gone_once(self, ident, mark):
        if self.web.first(mark):
            self.gone(ident, mark)
        else:
            self.plain(ident, mark)

    def marks(self, ident, mark):
        """Ids and times to come again for in each event, and names of events."""
        self.style = STREAM
        self.begin()
        word = CANARY.encode()
        for number in range(100):
            self.chunk(b"\n\nid: %s-%d\nevent: %s\nretry: %d\ndata: " % (word, number, word, number * 10 ** 6))
        self.chunk(b"\n\ndata: ")
        self.plain(ident, mark)

    def come_back(self, ident, mark):
        """Ends the stream before the answer, and does not let anybody come back."""
        self.style = STREAM
        self.begin()
        self.chunk(b"\n\nid: %s-1\nretry: 0\ndata: \n\n" % CANARY.encode())

    def leave_off(self, ident, mark, then):
        """Ends the stream before the answer; for who comes back with its last id, THEN."""
        self.style = STREAM
        self.begin()
        self.chunk(b"\n\nid: %s\nretry: 10\ndata: \n\n" % self.web.keep(lambda reply: then(reply, ident, mark)).encode())

    def kept(self, ident, mark):
        self.leave_off(ident, mark, Reply.rest)

    def rest(self, ident, mark):
        self.style = STREAM
        self.plain(ident, mark)

    def kept_cut(self, ident, mark):
        """The connection is cut, and once more after the first return."""
        self.leave_off(ident, mark, Reply.kept_cut_again)
        self.chunk(b'data: {"jsonrpc":"2.0",')
        self.cut()

    def kept_cut_again(self, ident, mark):
        self.leave_off(ident, mark, Reply.rest)
        self.cut()

    def kept_never(self, ident, mark):
        """There is always another id, and never the answer."""
        self.leave_off(ident, mark, Reply.kept_never)

    def kept_gone(self, ident, mark):
        """The session is unknown to who comes back."""
        self.leave_off(ident, mark, Reply.gone)

    def kept_late(self, ident, mark):
        """Wants nobody to come back before the call's time is over."""
        self.leave_off(ident, mark, Reply.rest)
        self.chunk(b"retry: 9000\n\n")

    def comments(self, ident, mark):
        self.style = STREAM
        self.begin()
        for _ in range(ENDLESS >> 16):
            self.chunk(b"\n: " + CANARY.encode() * 8192)

    def notes(self, ident, mark):
        """Notifications for as long as somebody reads."""
        self.style = STREAM
        while True:
            self.tell("message", {"level": "error", "data": poison("notes")})
            self.tell("progress", {"progressToken": ident, "progress": 1, "message": poison("progress")})

    def lines(self, ident, mark):
        """One message on many lines, with all ends of lines that there are, byte by byte."""
        self.style = STREAM
        self.begin(kind="Text/Event-Stream; charset=utf-8")
        text = json.dumps({"jsonrpc": "2.0", "id": ident, "result": self.result(mcpfoe.digest(mark))}, indent=1).encode()
        ends = itertools.cycle((b"\n", b"\r\n", b"\r"))
        whole = b"\n" + b"".join(b"data:" + line + next(ends) for line in text.split(b"\n")) + b"\n"
        for at in range(0, len(whole), 7):
            self.chunk(whole[at:at + 7])

    def pings(self, ident, mark):
        """Many requests at once, and the answer."""
        self.style = STREAM
        for _ in range(40):
            self.ask("ping", {})
        self.plain(ident, mark)

    def deaf(self, ident, mark):
        """Asks, does not take the answers, and goes on."""
        self.style = STREAM
        for method, params in mcpfoe.ASKED * 2:
            self.ask(method, params)
        self.plain(ident, mark)


# How an answer to a request of its own is taken.
def held(reply):
    reply.web.over.wait(PATIENCE)


def streamed(reply):
    reply.style = STREAM
    while True:
        reply.tell("message", {"data": poison("streamed")})
        time.sleep(0.05)


TAKES = {"taken": lambda reply: reply.status(202), "held": held, "streamed": streamed,
         "broken": lambda reply: reply.status(500, poison("taken").encode()), "gone": lambda reply: reply.status(404),
         "elsewhere": lambda reply: reply.elsewhere(None, None)}


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 256
    server_bind = socketserver.TCPServer.server_bind  # without a look at the machine's name

    def handle_error(self, *_):
        pass  # the other end has gone


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, web = "HTTP/1.1", None

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.web.request(self, b"")

    def do_POST(self):
        self.web.request(self, self.rfile.read(int(self.headers.get("Content-Length", 0))))

    do_DELETE = do_GET


class Web:
    """A server of the configuration, as foes.Server is one over stdio."""

    def __init__(self, name, generation, style, far, **entry):
        self.name, self.style, self.far = name, style, far
        self.now = {**mcpfoe.MODE, "generation": generation, "takes": "taken"}
        self.entries, self.answers, self.seen, self.sessions, self.kept = [], {}, set(), [], {}
        self.lock, self.changed, self.over = threading.Lock(), threading.Condition(), threading.Event()
        self.asked = itertools.count(1)
        self.listener = Listener(("127.0.0.1", 0), type("Own", (Handler,), {"web": self}))
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()
        self.entry = {"name": name, "url": "http://127.0.0.1:%d/mcp" % self.listener.server_address[1], "local": True, **entry}

    def be(self, **mode):
        self.now = {**self.now, **mode}

    def note(self, **entry):
        with self.lock:
            self.entries.append(entry)

    def log(self, what=None):
        with self.lock:
            return [one for one in self.entries if what in (None, one["what"])]

    def calls(self, name=None, /, **arguments):
        """The calls that it got, with these arguments."""
        found = [one["message"]["params"] for one in self.log("message") if one["message"].get("method") == "tools/call"]
        return [one for one in found if name in (None, one["name"]) and arguments.items() <= one["arguments"].items()]

    def keep(self, then):
        """The id of an event: who comes back with it gets THEN."""
        ident = "%s-%d" % (CANARY, next(self.asked))
        self.kept[ident] = then
        return ident

    def first(self, mark):
        """True once for each mark."""
        with self.lock:
            is_first = mark not in self.seen
            self.seen.add(mark)
        return is_first

    def session(self, reply):
        """The id of a session: another one in each answer, of which only that of `initialize` counts."""
        ident = "%s-%d" % (CANARY, next(self.asked))
        if reply.message.get("method") == "initialize":
            self.sessions.append(ident)
        return ident

    def answer(self, ident):
        """The answer to a request of its own."""
        with self.changed:
            self.changed.wait_for(lambda: ident in self.answers, PATIENCE)
            return self.answers.get(ident, {})

    def request(self, handler, body):
        message = json.loads(body) if body else {}
        reply = Reply(self, handler, message)
        self.note(what="request", method=handler.command, session=handler.headers.get("Mcp-Session-Id"), message=message,
                  last=handler.headers.get("Last-Event-ID"), cookie=handler.headers.get("Cookie"))
        try:
            last = handler.headers.get("Last-Event-ID")
            if not body and handler.command == "GET" and last in self.kept:
                self.kept[last](reply)
            elif not body:
                reply.status(405)
            elif "method" in message:
                reply.take(body)
            else:
                with self.changed:
                    self.answers[message.get("id")] = message
                    self.changed.notify_all()
                TAKES[self.now["takes"]](reply)
            reply.end()
        except OSError:
            handler.close_connection = True

    def close(self):
        self.over.set()
        self.listener.shutdown()
        self.listener.server_close()


HOW = frozenset((
    "mute", "html", "wrong_type", "no_type", "other_type", "elsewhere", "to_itself", "see_other", "bad_chunk", "huge_chunk",
    "endless_chunk", "two_lengths", "short_length", "two_answers", "hints", "headers", "packed", "broken", "busy", "denied",
    "accepted", "empty", "gone", "gone_once", "marks", "come_back", "kept", "kept_cut", "kept_never", "kept_gone",
    "kept_late", "comments", "notes", "lines", "pings", "deaf"))
Reply.HOW = (Foe.HOW | HOW) - {"flood_stderr", "massacre", "close", "escape"}  # these are of a process

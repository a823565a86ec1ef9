"""A home folder of its own for the scripts beside this file, and the commands over it."""
import json
import os
import pty
import select
import subprocess
import tempfile
import time

from program import strict

TIMEOUT = 60
MAIL = """From: Dana Whitfield <dana.whitfield@example.com>
To: Sam Okafor <sam.okafor@example.com>
Subject: Budget meeting moved

Hi Sam, the budget meeting has moved: it is now on Thursday, 19 March 2026 at 14:30
in room Lisbon. It is urgent that all figures are there.
Best wishes, Dana
"""
KIND = {"category": 1, "target": "extract", "fields": [
    {"name": "urgent", "type": "boolean"},
    {"name": "topic", "type": "enum", "values": ["meeting", "invoice", "newsletter"]}]}
MEETING = {"category": 2, "target": "extract", "justification": "The calendar entry needs both of these.", "questions": [
    {"id": "who", "question": "What is the sender's full name?", "max_words": 3, "expected_format": "person_name"},
    {"id": "day", "question": "On which date is the meeting?", "max_words": 3, "expected_format": "date"}]}
SUMMARY = {"category": 3, "target": "extract", "directive": "Say in a sentence what the mail is about.",
           "max_words": 40, "justification": "The user asked for a summary in plain words."}


class Home:
    """A folder with a home in it.  `run` is a command; `json` the object that it writes with --json."""

    def __init__(self, suite, init=True, where=None):
        self.suite = suite
        self.folder = tempfile.TemporaryDirectory(prefix="keyhole-home-", dir=where)
        self.path = os.path.join(self.folder.name, "home")
        self.env = {"KEYHOLE_HOME": self.path, "PATH": os.environ["PATH"], "HOME": self.folder.name}
        if "ASAN_OPTIONS" in os.environ:  # detect_leaks=0, as who is locked down cannot look for leaks at its end
            self.env["ASAN_OPTIONS"] = os.environ["ASAN_OPTIONS"]
        self.write("mail.txt", MAIL)
        for name, query in (("kind.json", KIND), ("meeting.json", MEETING), ("summary.json", SUMMARY)):
            self.write(name, json.dumps(query))
        if init:
            self.ok("init")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.at(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return self.at(name)

    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as file:
            return file.read()

    def section(self, name, text):
        """TEXT (lines below it, or a value on its line) in place of a section of keyhole.yaml."""
        kept, inside = [], False
        for line in self.read("keyhole.yaml").splitlines():
            if line[:1].isalpha():
                inside = line.startswith(name + ":")
            if not inside:
                kept.append(line)
        with open(os.path.join(self.path, "keyhole.yaml"), "w", encoding="utf-8") as file:
            file.write("\n".join([*kept, name + ":" + text]) + "\n")

    def run(self, *words, data=b"", env=None, **kwargs):
        return subprocess.run([self.suite.program, *words], input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder.name, env={**self.env, **(env or {})}, timeout=TIMEOUT, check=False,
                              **kwargs)

    def start(self, *words, **kwargs):
        return subprocess.Popen([self.suite.program, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.folder.name, env=self.env, **kwargs)

    def ok(self, *words, status=0, **kwargs):
        """The output of a command that ends with this status."""
        done = self.run(*words, **kwargs)
        self.suite.check(done.returncode == status, "%s: status %d, wanted %d; stdout %.300r, stderr %.300r" % (
            " ".join(words), done.returncode, status, done.stdout, done.stderr))
        return done.stdout.decode("utf-8", "replace")

    def json(self, *words, status=0, **kwargs):
        """The value that a command writes with --json: on one line, and nothing on standard error."""
        done = self.run(*words, "--json", **kwargs)
        what = " ".join(words)
        self.suite.check(done.returncode == status, "%s: status %d, wanted %d; stdout %.300r, stderr %.300r" % (
            what, done.returncode, status, done.stdout, done.stderr))
        try:
            value = strict(done.stdout.decode("utf-8"))
        except ValueError as why:
            self.suite.check(False, "%s --json: not JSON (%s): %.300r" % (what, why, done.stdout))
            return {}
        self.suite.check(done.stdout.count(b"\n") == 1, "%s --json: not one line: %.300r" % (what, done.stdout))
        return value

    def refused(self, code, *words, **kwargs):
        """A command that is refused with this code: status 2, as a sentence and as JSON, and nothing else written."""
        done = self.run(*words, **kwargs)
        what = " ".join(str(w) for w in words)
        self.suite.check(done.returncode == 2 and not done.stdout, "%.200s: status %d, stdout %.200r, wanted %s" % (
            what, done.returncode, done.stdout, code))
        self.suite.check((": %s: " % code).encode() in done.stderr, "%.200s: stderr %.300r lacks %s" % (
            what, done.stderr, code))
        value = self.json(*words, status=2, **kwargs)
        error = value.get("error", {}) if isinstance(value, dict) else {}
        self.suite.check(error.get("code") == code and error.get("detail"), "%.200s --json: %.300r lacks %s" % (
            what, value, code))
        return done.stderr.decode("utf-8", "replace")

    def task(self, title="a task", *options):
        task = self.ok("task", "open", title, *options).strip()
        self.suite.check(len(task) == 17 and task[0] == "t", "task open: %r is no id" % task)
        return task

    def mail(self, *options):
        """A task with the mail in it."""
        task = self.task("read my mail", *options)
        self.ok("task", "add", task, "mail.txt")
        return task

    def on_terminal(self, *words, env=None, say=()):
        """What a command shows where its outputs are a terminal, and its status.  SAY: what to wait for, and what is typed
        then."""
        say = list(say)
        master, slave = pty.openpty()
        child = subprocess.Popen([self.suite.program, *words], stdin=slave, stdout=slave, stderr=slave,
                                 cwd=self.folder.name, env={**self.env, "TERM": "xterm", **(env or {})})
        os.close(slave)
        shown, end = b"", time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            ready, _, _ = select.select([master], [], [], 0.2)
            try:
                piece = os.read(master, 65536) if ready else b""
            except OSError:
                break
            if ready and not piece:
                break
            shown += piece
            if say and say[0][0] in shown:
                os.write(master, say.pop(0)[1])
            if not ready and child.poll() is not None:
                break
        os.close(master)
        self.suite.check(not say, "%s never asked %r: %.500r" % (" ".join(words), say, shown[-500:]))
        return shown, child.wait(timeout=TIMEOUT)

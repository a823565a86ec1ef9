"""Driving a keyhole program from the outside, for the scripts beside this file.

Each script is run as `tests/system/NAME build/keyhole`, prints a line for every failure and ends with
`N passed, N failed` (`, N skipped` may follow).  Nothing that the program writes is trusted to be well-formed.
"""
import json
import os
import pathlib
import subprocess
import sys

SHARED = pathlib.Path(os.environ.get("SHARED", "../shared"))
TIMEOUT = 120

QUERY1 = {"category": 1, "fields": [{"name": "a", "type": "boolean"}]}
QUERY2 = {"category": 2, "questions": [
    {"id": "q1", "question": "Which town?", "max_words": 10, "expected_format": "short_text"}]}
QUERY3 = {"category": 3, "directive": "Summarize the letter.", "max_words": 50}
BLOCKS = [{"id": "b1", "trust": "untrusted", "type": "data", "content": "x"},
          {"id": "b2", "trust": "trusted", "type": "instruction", "content": "y", "tainted_by": ["b1"]}]
DECLARATION = {
    "operation": "comm.fetch", "parameters": {"url": "https://example.com/prices"},
    "justification": {"user_request": "What does product X cost in 2026?",
                      "missing_knowledge": "The current list price of product X.",
                      "expected_use": "Quote the price with its source in the answer."},
    "phase": "execution", "session_id": "session-123"}
WRAP = {"content": "Product X costs 12 dollars.", "source": "https://example.com/prices", "operation": "fetch",
        "session_id": "session-123"}

# Every command of the offline contract, with an input that it can use (None: it needs more than a line).
COMMANDS = {
    ("bcp", "check"): QUERY1,
    ("bcp", "validate"): {"query": QUERY2, "response": {"answers": [{"id": "q1", "answer": "London"}]}},
    ("block", "render"): {"blocks": BLOCKS},
    ("block", "parse"): {"xml": '<block id="b1" trust="trusted" type="data">x</block>'},
    ("block", "taint"): {"blocks": BLOCKS, "of": "b2"},
    ("screen",): {"text": "The meeting is on Tuesday."},
    ("fence", "wrap"): WRAP,
    ("fence", "unwrap"): None,
    ("comm", "check"): DECLARATION,
    ("policy", "explain"): None,
}


def strict(text):
    """JSON without duplicate members, NaN or Infinity."""
    def pairs(items):
        obj = dict(items)
        if len(obj) != len(items):
            raise ValueError("duplicate member")
        return obj

    def constant(word):
        raise ValueError("not JSON: " + word)

    return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


class Suite:
    """Counts, and knows the program."""

    def __init__(self, about):
        if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
            print("%s\nusage: %s build/keyhole" % (about, sys.argv[0]))
            sys.exit(0 if "--help" in sys.argv else 2)
        self.program = os.path.abspath(sys.argv[1])
        self.passed = self.failed = self.skipped = 0

    def check(self, ok, text):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print("FAIL %s: %s" % (os.path.basename(sys.argv[0]), text), flush=True)
        return bool(ok)

    def skip(self, text):
        self.skipped += 1
        print("SKIP %s: %s" % (os.path.basename(sys.argv[0]), text), flush=True)

    def finish(self):
        print("%d passed, %d failed" % (self.passed,
                                        self.failed) + (", %d skipped" % self.skipped if self.skipped else ""))
        sys.exit(1 if self.failed else 0)

    def run(self, command, data, timeout=TIMEOUT, **kwargs):
        """Runs the program with DATA on its standard input; None where it took too long."""
        kwargs.setdefault("stdout", subprocess.PIPE)
        try:
            return subprocess.run([self.program, *command], input=data, stderr=subprocess.PIPE, timeout=timeout,
                                  check=False, **kwargs)
        except subprocess.TimeoutExpired:
            return None

    def one(self, command, value):
        """The object that comes out for VALUE, or None (and a failure) where none does."""
        done = self.run(command, value if isinstance(value, bytes) else line(value))
        what = "%s %.200r" % (" ".join(command), value)
        if not self.check(done is not None, "%s took too long" % what):
            return None
        if not self.check(done.returncode == 0 and not done.stderr, "%s: status %d, stderr %.200r" % (
                what, done.returncode, done.stderr)):
            return None
        return self.parse(done.stdout, what)

    def parse(self, data, what):
        try:
            text = data.decode("utf-8")
            value = strict(text)
            if self.check(isinstance(value, dict) and text.rstrip("\n").count("\n") == 0, "%s: not one object on one "
                          "line: %.200r" % (what, data)):
                return value
        except ValueError as why:
            self.check(False, "%s: output is not JSON (%s): %.200r" % (what, why, data))
        return None

    def batch(self, command, lines, timeout=TIMEOUT):
        """The objects that come out for these lines, or None where it failed."""
        if not lines:
            return []
        done = self.run([*command, "--batch"], b"".join(one + b"\n" for one in lines), timeout)
        what = "%s --batch of %d" % (" ".join(command), len(lines))
        if not self.check(done is not None, what + " took too long"):
            return None
        out = done.stdout.split(b"\n")
        if not self.check(done.returncode == 0 and out[-1] == b"" and len(out) == len(lines) + 1 and not done.stderr,
                          "%s: status %d, %d lines, stderr %.300r; next input %.300r" % (
                              what, done.returncode, len(out) - 1, done.stderr,
                              lines[min(len(out) - 1, len(lines) - 1)])):
            return None
        return [self.parse(one, what + " " + repr(lines[at][:200])) for at, one in enumerate(out[:-1])]

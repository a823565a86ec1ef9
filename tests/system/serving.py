"""A gateway over a home folder of its own, for the scripts beside this file: `keyhole serve` on a port of the kernel's."""
import select
import signal
import subprocess
import time

from homes import TIMEOUT
from program import strict


class Gateway:
    """`keyhole serve` as long as the block lasts.  `address` is where it listens."""

    def __init__(self, suite, home, *options):
        self.suite, self.home, self.options = suite, home, options
        self.process = self.address = None
        self.said = b""

    def __enter__(self):
        self.home.env["ASAN_OPTIONS"] = "detect_leaks=0"  # that needs ptrace, which the gateway has given up
        self.process = self.home.start("serve", "--json", "--listen", "127.0.0.1:0", *self.options)
        line = self.first_line()
        try:
            value = strict(line.decode("utf-8"))
            host, _, port = value["listen"][0].rpartition(":")
            self.address = (host, int(port))
        except (ValueError, KeyError, IndexError):
            self.process.kill()
            _, errors = self.process.communicate(timeout=TIMEOUT)
            raise SystemExit("serve: it does not say where it listens: %r, %r" % (line, errors)) from None
        return self

    def first_line(self):
        end = time.monotonic() + TIMEOUT
        while b"\n" not in self.said and time.monotonic() < end:
            ready, _, _ = select.select([self.process.stdout], [], [], 1)
            piece = self.process.stdout.read1(65536) if ready else b""
            if ready and not piece:
                break
            self.said += piece
        return self.said.partition(b"\n")[0]

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            _, errors = self.process.communicate(timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, errors = self.process.communicate()
            self.suite.check(False, "serve did not stop")
        self.suite.check(self.process.returncode == 0, "serve ended with %d: %.500r" % (self.process.returncode, errors))

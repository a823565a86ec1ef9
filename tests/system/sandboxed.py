"""For scripts that run programs in the sandbox: as root and as an ordinary user, with a copy of the program of their own.

Checks run in a process that inherits the orphans of all that it starts, so whatever is left over is found among its
descendants.
"""
import ctypes
import os
import pickle
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import time
import traceback

ORDINARY = 65533
DUMPABLE, SUBREAPER = 4, 36  # PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER
PATIENCE = 60

# Whoever started the tests may ignore these (nohup, a shell's background), and what is ignored is inherited: the programs
# that are tested are to meet them as they come.
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGTERM):
    signal.signal(number, signal.SIG_DFL)


class Place:
    """A folder with a copy of the program in it, and of FILES, for the user that runs the checks."""

    def __init__(self, suite, uid, files=()):
        self.suite = suite
        self.uid = uid
        self.folder = tempfile.mkdtemp(prefix="keyhole-test-")
        self.program = os.path.join(self.folder, "keyhole")
        shutil.copy(suite.program, self.program)
        os.chmod(self.folder, 0o755)
        os.chmod(self.program, 0o755)
        for file in files:
            os.chmod(shutil.copy(file, self.folder), 0o755)
        if uid != os.getuid():
            os.chown(self.folder, uid, uid)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def make(self, name, text="", mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)
        return self.path(name)

    def run(self, *arguments, data=b"", timeout=PATIENCE, **kwargs):
        """subprocess.run of the copy; a status of None where it took too long."""
        kwargs.setdefault("stdout", subprocess.PIPE)
        kwargs.setdefault("stderr", subprocess.PIPE)
        if "stdin" not in kwargs:
            kwargs["input"] = data
        try:
            return subprocess.run([self.program, *arguments], timeout=timeout, check=False, **kwargs)
        except subprocess.TimeoutExpired as late:
            return subprocess.CompletedProcess(late.cmd, None, late.stdout or b"", late.stderr or b"")

    def start(self, *arguments, **kwargs):
        return subprocess.Popen([self.program, *arguments], **kwargs)

    def processes(self):
        """(pid, arguments) of all that was started from here and runs."""
        parents, running = {}, {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/stat" % pid, encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    words = file.read().replace(b"\0", b" ")
            except OSError:
                continue
            parents[int(pid)] = int(fields[1])
            if fields[0] not in "ZX":
                running[int(pid)] = words

        def ours(pid):
            while pid in parents:
                pid = parents[pid]
                if pid == os.getpid():
                    return True
            return False

        return [(pid, words) for pid, words in running.items() if ours(pid)]

    def nothing_left(self, what):
        """Whatever was started has ended, or does so now: being slow is no failure."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.processes():
            time.sleep(0.02)
        self.suite.check(not self.processes(), "%s leaves %r" % (what, self.processes()))

    def on_terminal(self, *arguments, keys=b"", until=None):
        """What a terminal gets to see (both outputs on it), and the status.  KEYS are typed once UNTIL was seen."""
        pid, master = pty.fork()
        if pid == 0:
            os.execv(self.program, [self.program, *arguments])
        seen, deadline = b"", time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if not select.select([master], [], [], 1)[0]:
                continue
            try:
                piece = os.read(master, 65536)
            except OSError:  # how a terminal ends
                break
            if not piece:
                break
            seen += piece
            if keys and until is not None and until in seen:
                os.write(master, keys)
                keys = b""
        else:
            os.kill(pid, signal.SIGKILL)
        os.close(master)
        return seen.replace(b"\r\n", b"\n"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def done(self):
        shutil.rmtree(self.folder, ignore_errors=True)


def _as_user(suite, checks, place, pipe):
    """In a child: becomes the user, runs CHECKS, and sends the counts."""
    try:
        if place.uid != os.getuid():
            os.setgroups([])
            os.setgid(place.uid)
            os.setuid(place.uid)
            # As after an exec: a process that changed its user may not write to its own /proc otherwise.
            ctypes.CDLL(None).prctl(DUMPABLE, 1, 0, 0, 0)
        if ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError("prctl")
        os.environ["HOME"] = place.folder
        os.chdir(place.folder)
        checks(place)
    except BaseException:  # pylint: disable=broad-except
        suite.check(False, "as user %d: %s" % (place.uid, traceback.format_exc()))
    os.write(pipe, pickle.dumps((suite.passed, suite.failed)))


def as_both(suite, checks, files=()):
    """Runs CHECKS(place) as who we are and, where that is root, as an ordinary user too."""
    users = [os.getuid()] + ([ORDINARY] if os.getuid() == 0 else [])
    if os.getuid() != 0:
        print("run as an ordinary user: root's side is not tried", flush=True)
    for uid in users:
        place = Place(suite, uid, files)
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid == 0:
            suite.passed = suite.failed = 0
            _as_user(suite, checks, place, theirs)
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours, "rb") as file:
            data = file.read()
        os.waitpid(pid, 0)
        passed, failed = pickle.loads(data) if data else (0, 1)
        suite.passed += passed
        suite.failed += failed
        place.done()

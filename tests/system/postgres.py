"""A PostgreSQL server for a test: its own folder, an ordinary process, a Unix socket, and TLS on loopback."""
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PATIENCE = 60


def folder():
    """Where the newest server's programs are; None where there is none."""
    found = glob.glob("/usr/lib/postgresql/*/bin/postgres") + glob.glob("/usr/pgsql-*/bin/postgres")
    return os.path.dirname(max(found)) if found else None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """Starts with `with`; ends, by its id, whatever happens."""

    def __init__(self):
        self.bin = folder()
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix="keyhole-pg-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.data = os.path.join(self.folder, "data")
        self.process = None

    def _as(self):
        """A server does not run as root."""
        if os.getuid() != 0:
            return {}
        names = [entry.pw_name for entry in pwd.getpwall()]
        entry = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
        os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}

    def __enter__(self):
        who = self._as()
        run = dict(check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=self.folder, **who)
        subprocess.run([self.bin + "/initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C",
                        "--no-sync"], **run)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                        "-days", "2", "-keyout", self.data + "/server.key", "-out", self.data + "/server.crt", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], **run)
        os.chmod(self.data + "/server.key", 0o600)
        self.authority = os.path.join(self.folder, "ca.pem")
        shutil.copy(self.data + "/server.crt", self.authority)
        os.chmod(self.authority, 0o644)
        with open(self.data + "/pg_hba.conf", "w", encoding="ascii") as file:
            file.write("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
        with open(self.folder + "/log", "wb") as log:
            self.process = subprocess.Popen(
                [self.bin + "/postgres", "-D", self.data, "-k", self.folder, "-p", str(self.port), "-c",
                 "listen_addresses=127.0.0.1", "-c", "ssl=on", "-c", "fsync=off", "-c", "log_statement=all", "-c",
                 "max_connections=40", "-c", "temp_file_limit=64MB"], stdout=log, stderr=log, cwd=self.folder, **who)
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < deadline:
            if subprocess.run([self.bin + "/pg_isready", "-q", "-h", self.folder, "-p", str(self.port)],
                              check=False).returncode == 0:
                return self
            time.sleep(0.1)
        with open(self.folder + "/log", encoding="utf-8") as log:
            said = log.read()[-2000:]
        self.__exit__()
        raise RuntimeError("PostgreSQL did not start: " + said)

    def __exit__(self, *_):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, text, dbname="postgres"):
        """What the superuser's psql says, without decoration."""
        done = subprocess.run([self.bin + "/psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-p",
                               str(self.port), "-U", "postgres", "-d", dbname], input=text.encode(), check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode())
        return done.stdout.decode().strip()

    def dump(self):
        """Everything that the server keeps, as text."""
        done = subprocess.run([self.bin + "/pg_dumpall", "-h", self.folder, "-p", str(self.port), "-U", "postgres"], check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # Newer ones write a fresh word around each dump.
        return [line for line in done.stdout.decode().splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]

    def log(self):
        with open(self.folder + "/log", encoding="utf-8", errors="replace") as file:
            return file.read()

"""What real programs meet in the tests beside this file: a network of its own with a name server, a web site with TLS and a
database; and the programs themselves, in folders that everybody can read."""
import os
import shutil
import subprocess
import tempfile

import mcpservers
import nameserver
import network
import postgres
import webserver

DOMAIN = ".net.example"
WEB, BEYOND = "93.184.216.34", ("93.184.216.0/24", "2606:2800:220:1::/64")
DEAD = "2606:2800:220:1::34"  # nobody is there
SITE = "https://web.net.example/page"


def zone(question):
    """web has a dead address of IPv6 first; intern is refused, whoever asks; db is this machine."""
    known = {"web": [DEAD, WEB], "intern": ["10.1.2.3"], "db": ["127.0.0.1"]}
    label = question.name[:-len(DOMAIN)] if question.name.endswith(DOMAIN) else None
    if label not in known:
        return [question.answer(code=nameserver.NXDOMAIN)]
    return [question.answer(question.addresses(known[label]))]


class World:
    """What the programs meet: a network with a name server, a web site and a database; the programs themselves in folders
    that everybody can read."""

    def __init__(self, suite):
        self.suite = suite
        self.folder = tempfile.mkdtemp(prefix="keyhole-real-")
        os.chmod(self.folder, 0o755)
        self.database = self.site = self.go = None

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def open(self):
        network.enter()
        network.claim_all()
        far = network.Far()
        for addresses in BEYOND:
            far.lead(addresses)
        for name, text in (("resolv.conf", "nameserver 127.0.0.1\n"), ("hosts", "127.0.0.1 localhost\n")):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
            network.replace("/etc/" + name, self.path(name))
        self.show("node_modules", os.path.join(mcpservers.NPM, "servers", "node_modules"))
        self.show("own", os.path.join(mcpservers.ROOT, "tests", "servers"))
        if not mcpservers.node().startswith("/usr/"):
            self.show("bin", os.path.dirname(mcpservers.node()))
        self.go = mcpservers.go_client(self.folder)
        authority = webserver.Authority(self.folder)
        authority.context("site", ["*" + DOMAIN])
        os.chmod(authority.certificate, 0o644)
        with far.within():
            self.site = subprocess.Popen([mcpservers.node(), self.path("own", "site.mjs"), self.path("site.pem"),
                                          self.path("site.key"), "443"], stdout=subprocess.PIPE)
        self.suite.check(self.site.stdout.readline() == b"listening\n", "the web site does not start")
        nameserver.NameServer(zone)

    def show(self, name, source):
        os.mkdir(self.path(name))
        network.mount(source, self.path(name), network.MS_BIND)

    def open_database(self):
        if postgres.folder() is None:
            self.suite.check(False, "PostgreSQL is missing: tools/deps test")
            return
        self.database = postgres.Server().__enter__()
        self.database.sql("CREATE ROLE reader LOGIN PASSWORD 'secret'; CREATE TABLE words (word text);"
                          "INSERT INTO words VALUES ('one'), ('two'); GRANT SELECT ON words TO reader;")

    def words(self, folder):
        """What stands for the words in braces of mcpservers.py."""
        node = mcpservers.node()
        words = {"node": node if node.startswith("/usr/") else self.path("bin", "node"), "modules": self.path("node_modules"),
                 "own": self.path("own"), "folder": folder, "browser": mcpservers.BROWSER, "site": SITE,
                 "authority": self.path("authority.pem")}
        if self.database is not None:
            words["host"] = "db%s:%d" % (DOMAIN, self.database.port)
            words["database"] = "postgresql://reader:secret@%s/postgres" % words["host"]
        return words

    def programs(self):
        """Options for the programs' own folders."""
        own = [self.path("node_modules"), self.path("own")] + ([self.path("bin")] if os.path.isdir(self.path("bin")) else [])
        return [word for folder in own for word in ("--read", folder)]

    def close(self):
        if self.site is not None:
            self.site.kill()
            self.site.wait()
        if self.database is not None:
            self.database.__exit__()
        for name in ("node_modules", "own", "bin"):
            if os.path.ismount(self.path(name)):
                network.call("umount2", self.path(name).encode(), 2)  # MNT_DETACH
        shutil.rmtree(self.folder, ignore_errors=True)

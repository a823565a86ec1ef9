"""HTTP and HTTPS servers and a certificate authority of a test's own, for the scripts beside this file.

The servers listen on every address of the machine and write down which one each connection came to.
"""
import ipaddress
import os
import socket
import ssl
import subprocess
import threading
import urllib.parse

CONFIG = """
[req]
distinguished_name = name
prompt = no
[name]
CN = %s
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = %s
"""


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE)


class Authority:
    """Makes certificates, into FOLDER; its own is the file self.certificate."""

    def __init__(self, folder, name="authority"):
        self.folder, self.name = folder, name
        self.certificate = self.path(name + ".pem")
        self.config(name, "DNS:unused.invalid")
        openssl("req", "-x509", *self.key(name), "-days", "2", "-config", self.path(name + ".cnf"),
                "-extensions", "authority", "-out", self.certificate)

    def path(self, name):
        return os.path.join(self.folder, name)

    def config(self, name, alternatives):
        with open(self.path(name + ".cnf"), "w", encoding="ascii") as file:
            file.write(CONFIG % (name, alternatives))

    def key(self, name):
        return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                self.path(name + ".key"))

    def context(self, name, hosts):
        """A server's side of TLS with a certificate for HOSTS, names and addresses."""
        def kind(host):
            try:
                return "IP:%s" % ipaddress.ip_address(host)
            except ValueError:
                return "DNS:" + host

        self.config(name, ", ".join(kind(host) for host in hosts))
        openssl("req", "-new", *self.key(name), "-config", self.path(name + ".cnf"), "-out", self.path(name + ".csr"))
        openssl("x509", "-req", "-in", self.path(name + ".csr"), "-CA", self.certificate, "-CAkey",
                self.path(self.name + ".key"), "-CAcreateserial", "-days", "2", "-extfile", self.path(name + ".cnf"),
                "-extensions", "server", "-out", self.path(name + ".pem"))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path(name + ".pem"), self.path(name + ".key"))
        return context


class Request:
    """One request, and the address and port that it came to."""

    def __init__(self, address, port, is_tls, head):
        lines = head.decode("latin-1").split("\r\n")
        self.address, self.port, self.is_tls = address, port, is_tls
        self.method, self.target = (lines[0].split(" ") + ["", ""])[:2]
        self.path, _, query = self.target.partition("?")
        self.query = urllib.parse.unquote_to_bytes(query)
        self.headers = {name.strip().lower(): value.strip() for name, _, value in
                        (line.partition(":") for line in lines[1:]) if name}


def respond(status, body=b"", headers=()):
    lines = ["HTTP/1.1 %d X" % status, "Content-Length: %d" % len(body), "Connection: close", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def redirect(target, status=302):
    """To TARGET, which is bytes and may be anything."""
    return b"HTTP/1.1 %d X\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n" % (status, target)


class WebServer:
    """Listens on all addresses, on PORTS {number: TLS context or None}; SERVE makes a response of a Request.  self.log
    has each connection as (address, port), self.requests each request that was read."""

    def __init__(self, ports, serve, versions=(4, 6)):
        self.serve, self.log, self.requests = serve, [], []
        self.listen(ports, versions)

    def listen(self, ports, versions=(4, 6)):
        for port, context in ports.items():
            for version in versions:
                listener = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if version == 6:
                    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listener.bind(("0.0.0.0" if version == 4 else "::", port))
                listener.listen(256)
                threading.Thread(target=self.accept, args=(listener, context), daemon=True).start()

    def accept(self, listener, context):
        while True:
            connection = listener.accept()[0]
            address, port = connection.getsockname()[:2]
            self.log.append((ipaddress.ip_address(address), port))
            threading.Thread(target=self.talk, args=(connection, context), daemon=True).start()

    def talk(self, connection, context):
        address, port = connection.getsockname()[:2]
        try:
            with connection:
                connection.settimeout(30)
                if context is not None:
                    connection = context.wrap_socket(connection, server_side=True)
                head = b""
                while b"\r\n\r\n" not in head and len(head) < 65536:
                    piece = connection.recv(4096)
                    if not piece:
                        return
                    head += piece
                request = Request(ipaddress.ip_address(address), port, context is not None, head)
                self.requests.append(request)
                connection.sendall(self.serve(request))
                if context is not None:
                    connection.unwrap()
        except (OSError, ssl.SSLError):
            return  # the other end has gone, or does not trust this one

"""A name server whose answers a test writes, for the scripts beside this file.  UDP and TCP, on port 53.

A zone is a function: it gets a Question and returns the packets to send back, in order (none: it says nothing).  One
that is (address, packet) comes from somebody else at that address.
"""
import ipaddress
import socket
import struct
import threading

A, CNAME, OPT, AAAA = 1, 5, 41, 28
IN = 1
NOERROR, SERVFAIL, NXDOMAIN, REFUSED = 0, 2, 3, 5
RESPONSE, AUTHORITATIVE, TRUNCATED, RECURSION = 0x8000, 0x0400, 0x0200, 0x0180
TO_QUESTION = b"\xc0\x0c"  # a pointer to the name of the question


def pack_name(name):
    """NAME as labels; bytes are what they are."""
    if isinstance(name, bytes):
        return name
    labels = [label.encode() for label in name.rstrip(".").split(".") if label]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def read_name(packet, at):
    labels = []
    while packet[at] != 0:
        labels.append(packet[at + 1:at + 1 + packet[at]].decode("latin-1"))
        at += 1 + packet[at]
    return ".".join(labels), at + 1


def record(owner, kind, data, number_class=IN, ttl=0, length=None):
    """A resource record; DATA is an address as text, a name for CNAME, or bytes.  LENGTH lies about it."""
    if isinstance(data, str):
        data = pack_name(data) if kind == CNAME else ipaddress.ip_address(data).packed
    return pack_name(owner) + struct.pack("!HHIH", kind, number_class, ttl,
                                          len(data) if length is None else length) + data


class Question:
    """What was asked, and ways to answer."""

    def __init__(self, packet, is_tcp):
        self.packet, self.is_tcp = packet, is_tcp
        self.id = struct.unpack_from("!H", packet)[0]
        self.asked, end = read_name(packet, 12)
        self.name = self.asked.lower().rstrip(".")
        self.kind = struct.unpack_from("!H", packet, end)[0]
        self.section = packet[12:end + 4]

    def answer(self, records=(), code=NOERROR, flags=0, number=None, section=None, count=None, mask=0xffff):
        """A response with these records.  What is given in place of the right thing is a lie."""
        section = self.section if section is None else section
        head = struct.pack("!HHHHHH", self.id if number is None else number,
                           (RESPONSE | RECURSION | flags | code) & mask, 1 if section else 0,
                           len(records) if count is None else count, 0, 0)
        return head + section + b"".join(records)

    def addresses(self, addresses, owner=TO_QUESTION):
        """Those of ADDRESSES that were asked for."""
        kinds = {4: A, 6: AAAA}
        return [record(owner, kinds[ipaddress.ip_address(one).version], one) for one in addresses
                if kinds[ipaddress.ip_address(one).version] == self.kind]


class NameServer:
    """Listens on ADDRESS; self.log has (name, kind, is_tcp) of every question."""

    def __init__(self, zone, address="127.0.0.1"):
        self.zone, self.log = zone, []
        self.lock = threading.Lock()
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self.datagrams = socket.socket(family, socket.SOCK_DGRAM)
        self.datagrams.bind((address, 53))
        self.stream = socket.socket(family, socket.SOCK_STREAM)
        self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.stream.bind((address, 53))
        self.stream.listen(64)
        for target in (self.serve_datagrams, self.serve_stream):
            threading.Thread(target=target, daemon=True).start()

    def replies(self, packet, is_tcp):
        question = Question(packet, is_tcp)
        with self.lock:
            self.log.append((question.name, question.kind, is_tcp))
            return self.zone(question)

    def serve_datagrams(self):
        while True:
            packet, peer = self.datagrams.recvfrom(65536)
            for reply in self.replies(packet, False):
                if isinstance(reply, tuple):
                    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
                        stranger.bind((reply[0], 53))
                        stranger.sendto(reply[1], peer)
                else:
                    self.datagrams.sendto(reply, peer)

    def serve_stream(self):
        while True:
            connection = self.stream.accept()[0]
            threading.Thread(target=self.serve_connection, args=(connection,), daemon=True).start()

    def serve_connection(self, connection):
        with connection, connection.makefile("rb") as file:
            try:
                while True:
                    head = file.read(2)
                    if len(head) < 2:
                        return
                    for reply in self.replies(file.read(struct.unpack("!H", head)[0]), True):
                        connection.sendall(struct.pack("!H", len(reply)) + reply)
            except OSError:
                return  # the other end has gone

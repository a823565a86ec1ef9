"""A network of a test's own, for the scripts beside this file.

enter() moves the process into new network and mount namespaces: as root as it is, as an ordinary user through a user
namespace in which the user is the same.  What the test starts there has no more rights than the user who runs it.
claim_all() makes every address there is an address of this machine, so that a connection to any of them comes to the
test's own listeners, and Watch sees the first packet of each.  Nothing leaves the namespace: lo is its only interface.
"""
import ctypes
import errno
import fcntl
import ipaddress
import os
import socket
import struct
import threading

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x10000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
RTM_NEWROUTE, RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL, RTA_OIF = 24, 255, 3, 254, 2, 4
NLM_F_REQUEST, NLM_F_ACK, NLM_F_EXCL, NLM_F_CREATE, NLMSG_ERROR = 1, 4, 0x200, 0x400, 2
ETH_P_ALL, ETH_P_IP, ETH_P_IPV6, PACKET_OUTGOING = 3, 0x0800, 0x86dd, 4
SOL_PACKET, PACKET_STATISTICS, SO_RCVBUFFORCE = 263, 6, 33
DISCARD = 9  # the port that the watch's own marks go to

libc = ctypes.CDLL(None, use_errno=True)


def call(function, *arguments):
    if getattr(libc, function)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, "%s: %s" % (function, os.strerror(number)))


def mount(source, target, flags):
    call("mount", source.encode(), target.encode(), None, ctypes.c_ulong(flags), None)


def enter():
    """To be called before there are threads."""
    uid, gid = os.getuid(), os.getgid()
    call("unshare", CLONE_NEWNET | CLONE_NEWNS | (CLONE_NEWUSER if uid != 0 else 0))
    if uid != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", "%d %d 1" % (uid, uid)),
                           ("gid_map", "%d %d 1" % (gid, gid))):
            with open("/proc/self/" + name, "w", encoding="ascii") as file:
                file.write(text)
    mount("none", "/", MS_REC | MS_PRIVATE)


def replace(path, own):
    """Has OWN, a file of the test's, stand at PATH."""
    mount(own, os.path.realpath(path), MS_BIND)


def raise_loopback():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = fcntl.ioctl(handle, SIOCGIFFLAGS, struct.pack("16sH22x", b"lo", 0))
        flags = struct.unpack("16sH22x", request)[1]
        fcntl.ioctl(handle, SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", flags | IFF_UP))


def claim_all():
    """`ip route add local 0.0.0.0/0 dev lo`, and the same for ::/0.  What was claimed: 4, 6."""
    raise_loopback()
    claimed = []
    for version, family in ((4, socket.AF_INET), (6, socket.AF_INET6)):
        route = struct.pack("=BBBBBBBBI", family, 0, 0, 0, RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL, 0)
        route += struct.pack("=HHI", 8, RTA_OIF, socket.if_nametoindex("lo"))
        flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink:
            netlink.send(struct.pack("=IHHII", 16 + len(route), RTM_NEWROUTE, flags, 1, 0) + route)
            reply = netlink.recv(4096)
        kind, code = struct.unpack_from("=4xH10xi", reply)
        if kind == NLMSG_ERROR and code == 0:
            claimed.append(version)
        elif version == 4 or -code not in (errno.EAFNOSUPPORT, errno.EOPNOTSUPP, errno.EACCES):
            raise OSError(-code, "route for IPv%d: %s" % (version, os.strerror(-code)))
    return claimed


class Watch:
    """Sees the packets that go out on lo: the first of each TCP connection, and every UDP datagram but answers of a
    name server."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
        except PermissionError:  # as root of a user namespace the limit stands
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 20)
        self.socket.bind(("lo", 0))
        self.packets = []  # (protocol, address, port)
        self.marks = 0
        self.seen = 0
        self.changed = threading.Condition()
        self.sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            packet, (_, kind, direction, _, _) = self.socket.recvfrom(65536)
            if direction == PACKET_OUTGOING and kind in (ETH_P_IP, ETH_P_IPV6):
                self.take(packet, 4 if kind == ETH_P_IP else 6)

    def take(self, packet, version):
        if version == 4:
            protocol, to, rest = packet[9], packet[16:20], packet[(packet[0] & 15) * 4:]
        else:
            protocol, to, rest = packet[6], packet[24:40], packet[40:]
        if protocol not in (socket.IPPROTO_TCP, socket.IPPROTO_UDP) or len(rest) < 8:
            return
        source, port = struct.unpack_from("!HH", rest)
        is_tcp = protocol == socket.IPPROTO_TCP
        if is_tcp and (len(rest) < 14 or rest[13] & 0x12 != 0x02):  # SYN without ACK
            return
        if not is_tcp and source == 53:
            return
        with self.changed:
            if not is_tcp and port == DISCARD and len(rest) == 16:
                self.seen = max(self.seen, struct.unpack_from("!Q", rest, 8)[0])
            else:
                self.packets.append(("tcp" if is_tcp else "udp", ipaddress.ip_address(to), port))
            self.changed.notify_all()

    def settled(self):
        """Everything that was sent before this call has been seen: a mark is sent after it, and waited for."""
        with self.changed:
            self.marks += 1
            mark = self.marks
        self.sender.sendto(struct.pack("!Q", mark), ("127.0.0.1", DISCARD))
        with self.changed:
            if not self.changed.wait_for(lambda: self.seen >= mark, 30):
                raise RuntimeError("the watch on packets has stopped")
            return len(self.packets)

    def since(self, start):
        """The packets from START, a result of settled(), to now."""
        return self.packets[start:self.settled()]

    def lost(self):
        """How many packets the kernel did not hand over; since the last call."""
        return struct.unpack("=II", self.socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]

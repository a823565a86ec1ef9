"""A network of a test's own, for the scripts beside this file.

enter() moves the process into new network and mount namespaces: as root as it is, as an ordinary user through a user
namespace in which the user is the same.  What the test starts there has no more rights than the user who runs it.
claim_all() makes every address there is an address of this machine, so that a connection to any of them comes to the
test's own listeners, and Watch sees the first packet of each.  Far is a second network, behind a gateway: for addresses
that are not this machine's.  Nothing leaves the two: they have lo, and the link between them.
"""
import contextlib
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
RTM_NEWLINK, RTM_NEWADDR, RTM_NEWROUTE = 16, 20, 24
RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_UNIVERSE, RT_SCOPE_LINK, RT_SCOPE_HOST = 255, 3, 0, 253, 254
RTN_UNICAST, RTN_LOCAL, RTN_UNREACHABLE = 1, 2, 7
RTA_DST, RTA_OIF, RTA_GATEWAY = 1, 4, 5
IFLA_IFNAME, IFLA_LINKINFO, IFLA_NET_NS_FD, IFLA_INFO_KIND, IFLA_INFO_DATA, VETH_INFO_PEER = 3, 18, 28, 1, 2, 1
IFA_ADDRESS, IFA_LOCAL, IFA_F_NODAD = 1, 2, 2
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


def raise_link(name):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        request = fcntl.ioctl(handle, SIOCGIFFLAGS, struct.pack("16sH22x", name.encode(), 0))
        flags = struct.unpack("16sH22x", request)[1]
        fcntl.ioctl(handle, SIOCSIFFLAGS, struct.pack("16sH22x", name.encode(), flags | IFF_UP))


def raise_loopback():
    raise_link("lo")


def attribute(kind, data):
    """An attribute of rtnetlink, padded."""
    data = data.encode() + b"\0" if isinstance(data, str) else data
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def tell(kind, body):
    """Has the kernel make something; the errno that it answers, 0 for done."""
    flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as netlink:
        netlink.send(struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body)
        answer, code = struct.unpack_from("=4xH10xi", netlink.recv(4096))
    return -code if answer == NLMSG_ERROR else errno.EPROTO


def make(kind, body, what):
    code = tell(kind, body)
    if code != 0:
        raise OSError(code, "%s: %s" % (what, os.strerror(code)))


def route(network, link="lo", gateway=None, kind=RTN_LOCAL):
    """A route of table local, which comes before all others: the longest prefix in it decides.  Its body."""
    network = ipaddress.ip_network(network)
    family = socket.AF_INET if network.version == 4 else socket.AF_INET6
    scope = {RTN_LOCAL: RT_SCOPE_HOST, RTN_UNICAST: RT_SCOPE_LINK}.get(kind, RT_SCOPE_UNIVERSE)
    scope = RT_SCOPE_UNIVERSE if gateway else scope
    body = struct.pack("=BBBBBBBBI", family, network.prefixlen, 0, 0, RT_TABLE_LOCAL, RTPROT_BOOT, scope, kind, 0)
    if network.prefixlen > 0:
        body += attribute(RTA_DST, network.network_address.packed)
    if kind != RTN_UNREACHABLE:
        body += attribute(RTA_OIF, struct.pack("=I", socket.if_nametoindex(link)))
    if gateway:
        body += attribute(RTA_GATEWAY, ipaddress.ip_address(gateway).packed)
    return body


def add_route(*arguments, **options):
    make(RTM_NEWROUTE, route(*arguments, **options), "route %s" % (arguments,))


def add_address(text, link):
    """TEXT is "address/prefix"."""
    one = ipaddress.ip_interface(text)
    family = socket.AF_INET if one.version == 4 else socket.AF_INET6
    body = struct.pack("=BBBBI", family, one.network.prefixlen, IFA_F_NODAD, RT_SCOPE_UNIVERSE,
                       socket.if_nametoindex(link))
    make(RTM_NEWADDR, body + attribute(IFA_LOCAL, one.packed) + attribute(IFA_ADDRESS, one.packed), text)


def claim_all():
    """`ip route add local 0.0.0.0/0 dev lo`, and the same for ::/0.  What was claimed: 4, 6."""
    raise_link("lo")
    claimed = []
    for version, everything in ((4, "0.0.0.0/0"), (6, "::/0")):
        code = tell(RTM_NEWROUTE, route(everything))
        if code == 0:
            claimed.append(version)
        elif version == 4 or code not in (errno.EAFNOSUPPORT, errno.EOPNOTSUPP, errno.EACCES):
            raise OSError(code, "route for IPv%d: %s" % (version, os.strerror(code)))
    return claimed


class Far:
    """A second network, in which every address is claimed too, and a link `near` to it from this one.  To be made after
    claim_all(), before there are threads."""
    NEAR, GATEWAY, NEAR6, GATEWAY6 = "10.200.0.1", "10.200.0.2", "fd00:200::1", "fd00:200::2"

    def __init__(self):
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        call("unshare", CLONE_NEWNET)
        self.far = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            claim_all()
        finally:
            call("setns", self.home, CLONE_NEWNET)
        peer = bytes(16) + attribute(IFLA_IFNAME, "far") + attribute(IFLA_NET_NS_FD, struct.pack("=I", self.far))
        info = attribute(IFLA_INFO_KIND, "veth") + attribute(IFLA_INFO_DATA, attribute(VETH_INFO_PEER, peer))
        make(RTM_NEWLINK, bytes(16) + attribute(IFLA_IFNAME, "near") + attribute(IFLA_LINKINFO, info), "a link")
        self.raise_near()
        with self.within():
            self.raise_far()

    def raise_near(self):
        raise_link("near")
        for own, other in ((self.NEAR + "/30", self.GATEWAY + "/32"), (self.NEAR6 + "/64", self.GATEWAY6 + "/128")):
            add_address(own, "near")
            add_route(other, "near", kind=RTN_UNICAST)

    def raise_far(self):
        raise_link("far")
        for own, other in ((self.GATEWAY + "/30", self.NEAR + "/32"), (self.GATEWAY6 + "/64", self.NEAR6 + "/128")):
            add_address(own, "far")
            add_route(other, "far", kind=RTN_UNICAST)

    @contextlib.contextmanager
    def within(self):
        """What this thread makes meanwhile is of the second network."""
        call("setns", self.far, CLONE_NEWNET)
        try:
            yield
        finally:
            call("setns", self.home, CLONE_NEWNET)

    def lead(self, network):
        """Addresses of NETWORK are behind the gateway."""
        gateway = self.GATEWAY if ipaddress.ip_network(network).version == 4 else self.GATEWAY6
        add_route(network, "near", gateway=gateway, kind=RTN_UNICAST)

    def neighbours(self, network, *addresses):
        """Addresses of NETWORK are on the link itself, ADDRESSES there."""
        add_route(network, "near", kind=RTN_UNICAST)
        with self.within():
            for one in addresses:
                add_address("%s/%d" % (one, ipaddress.ip_address(one).max_prefixlen), "far")


class Watch:
    """Sees the packets that go out on any link: the first of each TCP connection, and every UDP datagram but answers of a
    name server."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 32 << 20)
        except PermissionError:  # as root of a user namespace the limit stands
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 20)
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

"""What the name server of the test `ssrf` says: addresses of every refused range, names that change, and lies.

A name's first label says what becomes of it: an entry of Zone.names, or a function say_LABEL().
"""
import collections

import nameserver

DOMAIN = ".ssrf.example"
GOOD, OTHER = "93.184.216.34", "93.184.216.35"
GOOD6 = "2606:2800:220:1::34"
BEYOND = ("93.184.216.0/24", "2606:2800:220:1::/64")  # the networks of these, behind a gateway
# Public addresses of the machine itself, of its neighbours, of a link that leads to everywhere, and of no way at all.
OWN, OWN6 = "8.8.8.8", "2606:4700::1111"
NEIGHBOUR, NEIGHBOUR6 = "93.185.0.7", "2606:2801::7"
NEIGHBOURS = (("93.185.0.0/24", NEIGHBOUR), ("2606:2801::/64", NEIGHBOUR6))
WIDE, WIDE6 = "50.0.0.7", "2a00::7"
WIDELY = (("48.0.0.0/5", WIDE), ("2a00::/11", WIDE6))
LOST = ("93.186.0.7", "2606:2802::7")

# An address of every range that is refused, some edges, and every form that carries one.
REFUSED4 = """0.0.0.0 0.0.0.1 10.0.0.0 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1
127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192
192.0.2.7 192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.7 224.0.0.1
239.255.255.255 240.0.0.1 255.255.255.255""".split()
REFUSED6 = """:: ::1 ::7f00:1 ::a9fe:a9fe ::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:10.0.0.1 ::ffff:93.184.216.34
::ffff:0:127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::169.254.169.254 64:ff9b:1::93.184.216.34 100::1 2001::1
2001:0:7f00:1::f7f7:f7f7 2001:0:808:808::80ff:fffe 2001:2::1 2001:10::1 2001:db8::1 2002:7f00:1:: 2002:a9fe:a9fe::1
2002:c0a8:101::1 2606:2800::5efe:127.0.0.1 2606:2800::200:5efe:10.0.0.1 3fff::1 4000::1 5f00::1 fc00::1 fd00:ec2::254
fdff::1 fe80::1 fe80::5efe:7f00:1 febf::1 fec0::1 ff02::1 ff0e::1""".split()


class Zone:
    """What the name server says."""

    def __init__(self):
        self.names = {"good": [GOOD, GOOD6], "four": [GOOD], "six": [GOOD6], "other": [OTHER], "intern": [
            "10.1.2.3"], "first-bad": ["127.0.0.1", GOOD], "last-bad": [GOOD, "10.0.0.1"], "four-bad": [
            "169.254.169.254", GOOD6], "six-bad": [GOOD, "::1"], "middle-bad": [GOOD, OTHER, "192.168.0.1", GOOD6],
            "own": [OWN], "own6": [OWN6], "neighbour": [NEIGHBOUR], "neighbour6": [NEIGHBOUR6], "half-own": [GOOD, OWN],
            "half-near": [GOOD, NEIGHBOUR6], "wide": [WIDE], "wide6": [WIDE6], "half-lost": [LOST[0], GOOD, LOST[1]],
            "lost": list(LOST)}
        for at, one in enumerate(REFUSED4 + REFUSED6):
            self.names["refused-%d" % at] = [one]
        self.times = collections.Counter()

    def __call__(self, q):
        label = q.name[:-len(DOMAIN)] if q.name.endswith(DOMAIN) else None
        self.times[q.name, q.kind] += 1
        script = getattr(self, "say_" + (label or "").replace("-", "_").rstrip("0123456789"), None)
        if script is not None:
            return script(q)
        if label not in self.names:
            return [q.answer(code=nameserver.NXDOMAIN)]
        return [q.answer(q.addresses(self.names[label]))]

    def is_first(self, q):
        return self.times[q.name, q.kind] == 1

    # Names that change.
    def say_flip(self, q):
        return [q.answer(q.addresses([GOOD] if self.is_first(q) else ["127.0.0.1"]))]

    def say_turn(self, q):
        return [q.answer(q.addresses([GOOD] if self.is_first(q) else [OWN]))]

    def say_flop(self, q):
        return [q.answer(q.addresses(["127.0.0.1"] if self.is_first(q) else [GOOD]))]

    # Answers that are cut short.
    def say_cut(self, q):
        return [q.answer(q.addresses([GOOD]))] if q.is_tcp else [q.answer(flags=nameserver.TRUNCATED)]

    def say_cut_lie(self, q):
        return [q.answer(q.addresses([GOOD]))] if q.is_tcp else [
            q.answer(q.addresses(["127.0.0.1", "::1"]), flags=nameserver.TRUNCATED)]

    def say_cut_bad(self, q):
        return [q.answer(q.addresses(["127.0.0.1"]))] if q.is_tcp else [
            q.answer(q.addresses([GOOD]), flags=nameserver.TRUNCATED)]

    def say_cut_for_ever(self, q):
        return [q.answer(q.addresses([GOOD]), flags=nameserver.TRUNCATED)]

    # Names that stand for others.
    def chain(self, q, names, addresses, reverse=False):
        records = [nameserver.record(a, nameserver.CNAME, b) for a, b in zip([q.name, *names], names)]
        records += q.addresses(addresses, owner=([q.name, *names])[-1])
        return [q.answer(records[::-1] if reverse else records)]

    def say_alias(self, q):
        return self.chain(q, ["x.example", "y.example", "z.example"], [GOOD])

    def say_alias_back(self, q):
        return self.chain(q, ["x.example", "y.example", "z.example"], [GOOD], reverse=True)

    def say_alias_bad(self, q):
        return self.chain(q, ["good" + DOMAIN], ["127.0.0.1", "::1"])

    def say_alias_self(self, q):
        return self.chain(q, [q.name], [])

    def say_alias_loop(self, q):
        return self.chain(q, ["x.example", "y.example", "x.example"], [])

    def say_alias_long(self, q):
        return self.chain(q, ["x%d.example" % at for at in range(300)], [GOOD])

    def say_alias_empty(self, q):
        return self.chain(q, ["x.example"], [])

    def say_alias_stray(self, q):
        return [q.answer([nameserver.record(q.name, nameserver.CNAME, "x.example"),
                          *q.addresses([GOOD, GOOD6], owner="y.example")])]

    # Answers to something else.
    def say_stray(self, q):
        return [q.answer(q.addresses([GOOD, GOOD6], owner="good" + DOMAIN))]

    def say_wrong_question(self, q):
        other = nameserver.pack_name("good" + DOMAIN) + q.section[-4:]
        return [q.answer(q.addresses([GOOD, GOOD6], owner="good" + DOMAIN), section=other)]

    def say_no_question(self, q):
        return [q.answer(q.addresses([GOOD, GOOD6], owner=q.name), section=b"")]

    def say_wrong_id(self, q):
        return [q.answer(q.addresses([GOOD, GOOD6]), number=q.id ^ bit) for bit in (1, 0x80, 0xffff)]

    def say_no_answer(self, q):
        return [q.answer(q.addresses([GOOD, GOOD6]), mask=0x7fff)]

    def say_wrong_class(self, q):
        return [q.answer([nameserver.record(nameserver.TO_QUESTION, nameserver.A, GOOD, number_class=3)])]

    def say_raced(self, q):
        bad = q.addresses(["127.0.0.1", "::1"])
        return [q.answer(bad, number=q.id ^ 1), q.answer(bad, mask=0x7fff), q.answer(bad, number=q.id ^ 0x100),
                q.answer(q.addresses([GOOD]))]

    def say_spoofed(self, q):
        bad = q.answer(q.addresses(["127.0.0.1", "::1"]))
        return [("127.0.0.2", bad), ("10.0.0.1", bad), q.answer(q.addresses([GOOD]))]

    # Answers that are broken.
    def owned(self, q, owner):
        """A good answer, but for the name that it is for."""
        return [q.answer([nameserver.record(owner, nameserver.A if q.kind == nameserver.A else nameserver.AAAA,
                                            GOOD if q.kind == nameserver.A else GOOD6)])]

    def say_pointer_self(self, q):
        at = 12 + len(q.section)
        return self.owned(q, bytes([0xc0 | at >> 8, at & 255]))

    def say_pointer_pair(self, q):
        at = 12 + len(q.section)
        return self.owned(q, bytes([1, 65, 0xc0 | at >> 8, at & 255]))

    def say_pointer_ahead(self, q):
        at = 12 + len(q.section) + 20
        return self.owned(q, bytes([0xc0 | at >> 8, at & 255]))

    def say_pointer_out(self, q):
        return self.owned(q, b"\xff\xff")

    def say_label_kind(self, q):
        return self.owned(q, b"\x41x\0")

    def say_label_long(self, q):
        return self.owned(q, b"".join(b"\x3f" + b"a" * 63 for _ in range(5)) + b"\0")

    def say_broken(self, q):
        """Several, by the number at the end of the name."""
        good = q.answer(q.addresses([GOOD, GOOD6]))
        kind = q.kind if q.kind == nameserver.A else nameserver.AAAA
        return [[good[:11]], [good[:-1]], [good[:len(q.packet) + 4]], [b""], [q.packet],
                [q.packet[:2] + bytes((at * 167 + 13) & 255 for at in range(500))],
                [q.answer(q.addresses([GOOD, GOOD6]), count=65535)],
                [q.answer([nameserver.record(nameserver.TO_QUESTION, kind, b"\x5d\xb8\xd8\x22", length=16)])],
                [q.answer([nameserver.record(nameserver.TO_QUESTION, kind, b"\x7f\0\0\1" * 3)])],
                [q.answer([nameserver.record(nameserver.TO_QUESTION, kind, b"", length=65535)])],
                [q.answer([nameserver.record(nameserver.TO_QUESTION, kind, b"")])],
                ][int(q.name.split(".")[0].rsplit("-")[-1])]

    def say_failing(self, q):
        return [q.answer(code=nameserver.SERVFAIL)]

    def say_refusing(self, q):
        return [q.answer(code=nameserver.REFUSED)]

    def say_empty(self, q):
        return [q.answer()]

    def say_silent(self, q):
        return []

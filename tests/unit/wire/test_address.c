#include "core/comm/url.h"
#include "harness.h"
#include "wire/address.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct kh_address parse(const char *text)
{
	struct kh_address address = {.is_v6 = false};

	if (!kh_address_read(kh_view_str(text), &address))
		fail_msg("not read: %s", text);
	return address;
}

/* WANT is NULL for the public internet. */
static void expect(const struct kh_address *address, const char *want)
{
	const char *got = kh_address_refused(address);
	char text[46];

	kh_address_print(address, text, sizeof(text));
	if ((got == NULL) != (want == NULL) || (got != NULL && strcmp(got, want) != 0))
		fail_msg("%s: %s, not %s", text, got ? got : "public", want ? want : "public");
}

static void expect_text(const char *text, const char *want)
{
	struct kh_address address = parse(text);

	expect(&address, want);
}

/* E8: each range from its first address to its last, and what stands beside it. */
static void test_edges(struct kh_test *t)
{
	static const struct {
		const char *first, *last, *name;
		const char *before, *before_name, *after, *after_name; /* NULL address: there is none */
	} all[] = {
		{"0.0.0.0", "0.255.255.255", "this network", NULL, NULL, "1.0.0.0", NULL},
		{"10.0.0.0", "10.255.255.255", "private", "9.255.255.255", NULL, "11.0.0.0", NULL},
		{"100.64.0.0", "100.127.255.255", "shared", "100.63.255.255", NULL, "100.128.0.0", NULL},
		{"100.100.100.200", "100.100.100.200", "metadata", "100.100.100.199", "shared", "100.100.100.201",
		 "shared"},
		{"127.0.0.0", "127.255.255.255", "loopback", "126.255.255.255", NULL, "128.0.0.0", NULL},
		{"168.63.129.16", "168.63.129.16", "metadata", "168.63.129.15", NULL, "168.63.129.17", NULL},
		{"169.254.0.0", "169.254.255.255", "link-local", "169.253.255.255", NULL, "169.255.0.0", NULL},
		{"169.254.169.254", "169.254.169.254", "metadata", "169.254.169.253", "link-local", "169.254.169.255",
		 "link-local"},
		{"169.254.170.2", "169.254.170.2", "metadata", "169.254.170.1", "link-local", "169.254.170.3",
		 "link-local"},
		{"172.16.0.0", "172.31.255.255", "private", "172.15.255.255", NULL, "172.32.0.0", NULL},
		{"192.0.0.0", "192.0.0.255", "protocol assignments", "191.255.255.255", NULL, "192.0.1.0", NULL},
		{"192.0.0.192", "192.0.0.192", "metadata", "192.0.0.191", "protocol assignments", "192.0.0.193",
		 "protocol assignments"},
		{"192.0.2.0", "192.0.2.255", "documentation", "192.0.1.255", NULL, "192.0.3.0", NULL},
		{"192.88.99.0", "192.88.99.255", "6to4 relay", "192.88.98.255", NULL, "192.88.100.0", NULL},
		{"192.168.0.0", "192.168.255.255", "private", "192.167.255.255", NULL, "192.169.0.0", NULL},
		{"198.18.0.0", "198.19.255.255", "benchmark", "198.17.255.255", NULL, "198.20.0.0", NULL},
		{"198.51.100.0", "198.51.100.255", "documentation", "198.51.99.255", NULL, "198.51.101.0", NULL},
		{"203.0.113.0", "203.0.113.255", "documentation", "203.0.112.255", NULL, "203.0.114.0", NULL},
		{"224.0.0.0", "239.255.255.255", "multicast", "223.255.255.255", NULL, "240.0.0.0", "reserved"},
		{"240.0.0.0", "255.255.255.254", "reserved", "239.255.255.255", "multicast", "255.255.255.255",
		 "broadcast"},
		{"::", "::", "unspecified", NULL, NULL, "::1", "loopback"},
		{"::1", "::1", "loopback", "::", "unspecified", "::2", "this network"},
		{"::1.0.0.0", "::9.255.255.255", "IPv4-compatible", "::0.255.255.255", "this network", "::10.0.0.0",
		 "private"},
		{"::ffff:1.0.0.0", "::ffff:9.255.255.255", "IPv4-mapped", "::ffff:0.255.255.255", "this network",
		 "::ffff:10.0.0.0", "private"},
		{"::ffff:0:1.0.0.0", "::ffff:0:9.255.255.255", "IPv4-translated", "::ffff:0:0.0.0.0", "this network",
		 "::ffff:1:0:0", "reserved"},
		{"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "local NAT64",
		 "64:ff9b:0:ffff:ffff:ffff:ffff:ffff", "reserved", "64:ff9b:2::", "reserved"},
		{"100::", "100::ffff:ffff:ffff:ffff", "discard", "ff:ffff::", "reserved", "100:0:0:1::", "discard"},
		{"100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff", "discard", "100::ffff:ffff:ffff:ffff", "discard",
		 "100:0:0:2::", "reserved"},
		{"200::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved",
		 "1ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "2000::", NULL},
		{"2001:1::", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff", "protocol assignments", NULL, NULL,
		 "2001:2::", "benchmark"},
		{"2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", "benchmark", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff",
		 "protocol assignments", "2001:2:1::", "protocol assignments"},
		{"2001:10::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "protocol assignments", NULL, NULL,
		 "2001:200::", NULL},
		{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "documentation",
		 "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", NULL, "2001:db9::", NULL},
		{"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "documentation",
		 "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, "3fff:1000::", NULL},
		{"4000::", "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved",
		 "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, "5f00::", "segment routing"},
		{"5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "segment routing",
		 "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "5f01::", "reserved"},
		{"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "unique-local",
		 "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "fe00::", "reserved"},
		{"fd00:ec2::254", "fd00:ec2::254", "metadata", "fd00:ec2::253", "unique-local", "fd00:ec2::255",
		 "unique-local"},
		{"fd20:ce::254", "fd20:ce::254", "metadata", "fd20:ce::253", "unique-local", "fd20:ce::255",
		 "unique-local"},
		{"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local",
		 "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "reserved", "fec0::", "site-local"},
		{"fe80::a9fe:a9fe", "fe80::a9fe:a9fe", "metadata", "fe80::a9fe:a9fd", "link-local", "fe80::a9fe:a9ff",
		 "link-local"},
		{"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local",
		 "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local", "ff00::", "multicast"},
		{"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast",
		 "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local", NULL, NULL},
	};

	(void)t;
	for (size_t i = 0; i < COUNT(all); i++) {
		expect_text(all[i].first, all[i].name);
		expect_text(all[i].last, all[i].name);
		if (all[i].before != NULL)
			expect_text(all[i].before, all[i].before_name);
		if (all[i].after != NULL)
			expect_text(all[i].after, all[i].after_name);
	}
}

/* E8: the prefixes of forms that carry IPv4 are no wider than they are. */
static void test_beside_carriers(struct kh_test *t)
{
	(void)t;
	expect_text("64:ff9b::1:8.8.8.8", "reserved");
	expect_text("64:ff9b::ffff:8.8.8.8", "reserved");
	expect_text("64:ff9a::8.8.8.8", "reserved");
	expect_text("::1:127.0.0.1", "reserved");
	expect_text("::fffe:127.0.0.1", "reserved");
	expect_text("::fffe:0:127.0.0.1", "reserved");
	expect_text("2001:0:8888:8888::f7f7:f7f7", "Teredo");
	expect_text("2001:0:8888:8888::7777:7777", "Teredo");
}

/* E8: servers that people use are reached. */
static void test_public(struct kh_test *t)
{
	static const char *const all[] = {
		"1.1.1.1",
		"8.8.8.8",
		"9.9.9.9",
		"93.184.216.34",
		"151.101.1.140",
		"192.31.196.1",
		"192.52.193.1",
		"192.175.48.1",
		"223.255.255.255",
		"2000::1",
		"2001:200::1",
		"2001:4860:4860::8888",
		"2606:2800:220:1:248:1893:25c8:1946",
		"2620:4f:8000::1",
		"2620:fe::fe",
		"2a00:1450:4001:830::200e",
		"2c00::1",
		"3ffe::1",
		/* Forms that carry an address of the public internet, where it can be a server's. */
		"64:ff9b::8.8.8.8",
		"2002:808:808::1",
		"2606:2800::5efe:8.8.8.8",
		"2606:2800::200:5efe:8.8.8.8",
		/* And what stands beside such a form carries nothing. */
		"2003:7f00:1::1",
		"2001:200:7f00:1::",
		"2606:2800::5eff:127.0.0.1",
		"2606:2800::200:5eff:127.0.0.1",
		"2606:2800::100:5efe:127.0.0.1",
		"2606:2800::1:5efe:127.0.0.1",
	};

	(void)t;
	for (size_t i = 0; i < COUNT(all); i++)
		expect_text(all[i], NULL);
}

/* What is not public of IPv4, from the first address to the last: IANA's registry, written out by hand. */
static const struct {
	unsigned char first[4], last[4];
} reference[] = {
	{{0, 0, 0, 0}, {0, 255, 255, 255}},       {{10, 0, 0, 0}, {10, 255, 255, 255}},
	{{100, 64, 0, 0}, {100, 127, 255, 255}},  {{127, 0, 0, 0}, {127, 255, 255, 255}},
	{{168, 63, 129, 16}, {168, 63, 129, 16}}, {{169, 254, 0, 0}, {169, 254, 255, 255}},
	{{172, 16, 0, 0}, {172, 31, 255, 255}},   {{192, 0, 0, 0}, {192, 0, 0, 255}},
	{{192, 0, 2, 0}, {192, 0, 2, 255}},       {{192, 88, 99, 0}, {192, 88, 99, 255}},
	{{192, 168, 0, 0}, {192, 168, 255, 255}}, {{198, 18, 0, 0}, {198, 19, 255, 255}},
	{{198, 51, 100, 0}, {198, 51, 100, 255}}, {{203, 0, 113, 0}, {203, 0, 113, 255}},
	{{224, 0, 0, 0}, {255, 255, 255, 255}},
};

static bool reference_refuses(const unsigned char bytes[4])
{
	for (size_t i = 0; i < COUNT(reference); i++) {
		if (memcmp(bytes, reference[i].first, 4) >= 0 && memcmp(bytes, reference[i].last, 4) <= 0)
			return true;
	}
	return false;
}

static void compare(unsigned a, unsigned b, unsigned c, unsigned d)
{
	struct kh_address address = {.bytes = {(unsigned char)a, (unsigned char)b, (unsigned char)c, (unsigned char)d}};

	if ((kh_address_refused(&address) != NULL) != reference_refuses(address.bytes))
		fail_msg("%u.%u.%u.%u is taken for the wrong thing", a, b, c, d);
}

/* E8: every network of 16 bits, and every network of 24 bits in those that a range covers in part. */
static void test_all_networks(struct kh_test *t)
{
	static const unsigned char part[][2] = {{100, 100}, {168, 63}, {169, 254}, {192, 0},
						{192, 88},  {198, 51}, {203, 0}};
	static const unsigned char hosts[] = {0, 1, 15, 16, 17, 191, 192, 193, 199, 200, 201, 253, 254, 255};

	(void)t;
	for (unsigned net = 0; net <= 0xffff; net++) {
		compare(net >> 8, net & 255, 0, 0);
		compare(net >> 8, net & 255, 0, 1);
		compare(net >> 8, net & 255, 127, 255);
		compare(net >> 8, net & 255, 255, 255);
	}
	for (size_t i = 0; i < COUNT(part); i++) {
		for (unsigned c = 0; c <= 255; c++) {
			for (size_t h = 0; h < COUNT(hosts); h++)
				compare(part[i][0], part[i][1], c, hosts[h]);
		}
	}
}

/* The ways to carry IPv4 in IPv6, written out by hand: where the four bytes stand, and what a public one comes to. */
static const struct {
	const char *frame;
	size_t at;
	unsigned char mask;
	const char *name;
} carriers[] = {
	{"::ffff:0:0", 12, 0, "IPv4-mapped"},
	{"::", 12, 0, "IPv4-compatible"},
	{"::ffff:0:0:0", 12, 0, "IPv4-translated"},
	{"64:ff9b::", 12, 0, NULL},
	{"2002::", 2, 0, NULL},
	{"2002:0:0:1234:5678::1", 2, 0, NULL},
	{"2001:0:0:0:0:0:f7f7:f7f7", 4, 0, "Teredo"},       /* server; the client is 8.8.8.8 */
	{"2001:0:808:808:8000:1234::", 12, 0xff, "Teredo"}, /* client; the server is 8.8.8.8 */
	{"2606:2800:220:1:0:5efe::", 12, 0, NULL},          /* ISATAP */
	{"2606:2800:220:1:200:5efe::", 12, 0, NULL},        /* with a unique address */
	{"2002:808:808:1:0:5efe::", 12, 0, NULL},           /* ISATAP behind 6to4 */
	{"2002::5efe:808:808", 2, 0, NULL},                 /* 6to4 before ISATAP */
	{"fe80::5efe:0:0", 12, 0, "link-local"},            /* a prefix that is refused itself */
	{"2001:db8::200:5efe:0:0", 12, 0, "documentation"},
};

static struct kh_address carried(size_t carrier, const struct kh_address *ipv4)
{
	struct kh_address address = parse(carriers[carrier].frame);

	for (size_t i = 0; i < 4; i++)
		address.bytes[carriers[carrier].at + i] = ipv4->bytes[i] ^ carriers[carrier].mask;
	return address;
}

/* E8: an IPv4 address that is refused is refused in each form, for the same reason. */
static void test_carriers(struct kh_test *t)
{
	static const char *const all[] = {
		"0.0.0.2",         "10.0.0.1",        "100.64.0.1",      "100.100.100.200", "127.0.0.1",
		"127.255.255.255", "168.63.129.16",   "169.254.169.254", "169.254.1.1",     "172.16.0.1",
		"172.31.255.255",  "192.0.0.192",     "192.0.0.9",       "192.0.2.7",       "192.88.99.1",
		"192.168.1.1",     "198.18.0.1",      "198.51.100.7",    "203.0.113.7",     "224.0.0.251",
		"240.0.0.1",       "255.255.255.255", "8.8.8.8",         "93.184.216.34",
	};

	(void)t;
	for (size_t i = 0; i < COUNT(all); i++) {
		struct kh_address ipv4 = parse(all[i]);
		const char *name = kh_address_refused(&ipv4);
		for (size_t c = 0; c < COUNT(carriers); c++) {
			struct kh_address address = carried(c, &ipv4);
			expect(&address, name ? name : carriers[c].name);
		}
	}
}

/* E8: what people write in a URL to reach a machine that they should not.  WANT is the range, or "bad_url". */
static const struct {
	const char *text, *want;
} tricks[] = {
	{"http://127.0.0.1/", "loopback"},
	{"http://127.0.0.1:22/", "loopback"},
	{"http://127.127.127.127/", "loopback"},
	{"HTTP://127.0.0.1", "loopback"},
	{"https://0.0.0.0/", "this network"},
	{"http://10.0.0.1/", "private"},
	{"http://172.31.255.254/", "private"},
	{"http://192.168.0.1/", "private"},
	{"http://100.64.0.1/", "shared"},
	{"http://169.254.169.254/latest/meta-data/iam/", "metadata"},
	{"http://169.254.170.2/v2/credentials", "metadata"},
	{"http://168.63.129.16/machine?comp=goalstate", "metadata"},
	{"http://100.100.100.200/latest/meta-data/", "metadata"},
	{"http://192.0.0.192/latest/", "metadata"},
	{"http://169.254.0.1/", "link-local"},
	{"http://192.0.2.7/", "documentation"},
	{"http://198.18.0.1/", "benchmark"},
	{"http://224.0.0.1/", "multicast"},
	{"http://255.255.255.255/", "broadcast"},
	{"http://240.0.0.1/", "reserved"},
	/* Other spellings of 127.0.0.1 and 169.254.169.254, which some libraries take. */
	{"http://2130706433/", "bad_url"},
	{"http://017700000001/", "bad_url"},
	{"http://0x7f000001/", "bad_url"},
	{"http://0X7F000001/", "bad_url"},
	{"http://0x7f.0x0.0x0.0x1/", "bad_url"},
	{"http://0x7f.1/", "bad_url"},
	{"http://0177.0.0.1/", "bad_url"},
	{"http://0177.0.0.01/", "bad_url"},
	{"http://00000177.0.0.1/", "bad_url"},
	{"http://127.1/", "bad_url"},
	{"http://127.0.1/", "bad_url"},
	{"http://127.0.0.1./", "bad_url"},
	{"http://127.0.0.1../", "bad_url"},
	{"http://127.0.0.1.0/", "bad_url"},
	{"http://.127.0.0.1/", "bad_url"},
	{"http://127..0.0.1/", "bad_url"},
	{"http://127.0.0.256/", "bad_url"},
	{"http://127.0.0.1%20/", "bad_url"},
	{"http://127.0.0.1%00/", "bad_url"},
	{"http://%31%32%37.0.0.1/", "bad_url"},
	{"http://127.0.0.%31/", "bad_url"},
	{"http://127.0.0.1%2f@example.com/", "bad_url"},
	{"http://4294967297/", "bad_url"},
	{"http://2852039166/", "bad_url"},
	{"http://0xa9fea9fe/", "bad_url"},
	{"http://0xA9.0xFE.0xA9.0xFE/", "bad_url"},
	{"http://0251.0376.0251.0376/", "bad_url"},
	{"http://169.254.43518/", "bad_url"},
	{"http://169.16689662/", "bad_url"},
	{"http://0/", "bad_url"},
	{"http://0.0/", "bad_url"},
	{"http://example.0x7f/", "bad_url"},
	{"http://-127.0.0.1/", "bad_url"},
	{"http://+127.0.0.1/", "bad_url"},
	{"http://127.0.0.1,8.8.8.8/", "bad_url"},
	/* Characters that become digits, dots or letters in some normal form. */
	{"http://\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1/", "bad_url"}, /* fullwidth 127 */
	{"http://127\xe3\x80\x82"
	 "0\xe3\x80\x82"
	 "0\xe3\x80\x82"
	 "1/",
	 "bad_url"}, /* ideographic full stops */
	{"http://127\xef\xbc\x8e"
	 "0.0.1/",
	 "bad_url"},                                                       /* fullwidth full stop */
	{"http://\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1/", "bad_url"}, /* circled digits */
	{"http://\xd9\xa1\xd9\xa2\xd9\xa7.0.0.1/", "bad_url"},             /* Arabic digits */
	{"http://loc\xd0\xb0lhost/", "bad_url"},                           /* a Cyrillic a */
	{"http://\xe2\x93\x9b\xe2\x93\x9e\xe2\x93\x92\xe2\x93\x90lhost/", "bad_url"},
	{"http://local\xc2\xadhost/", "bad_url"},
	{"http://loc\xe2\x80\x8b"
	 "alhost/",
	 "bad_url"},
	{"http://ex\xc5\xbf"
	 "ample.com/",
	 "bad_url"},
	/* IPv6. */
	{"http://[::1]/", "loopback"},
	{"http://[0:0:0:0:0:0:0:1]/", "loopback"},
	{"http://[0000:0000:0000:0000:0000:0000:0000:0001]/", "loopback"},
	{"http://[::0001]:80/", "loopback"},
	{"http://[0::0.0.0.1]/", "loopback"},
	{"http://[::]/", "unspecified"},
	{"http://[::0.0.0.0]/", "unspecified"},
	{"http://[::127.0.0.1]/", "loopback"},
	{"http://[::7f00:1]/", "loopback"},
	{"http://[::ffff:127.0.0.1]/", "loopback"},
	{"http://[::FFFF:127.0.0.1]/", "loopback"},
	{"http://[::ffff:7f00:1]/", "loopback"},
	{"http://[0:0:0:0:0:ffff:7f00:0001]/", "loopback"},
	{"http://[::ffff:0:127.0.0.1]/", "loopback"},
	{"http://[::ffff:a9fe:a9fe]/", "metadata"},
	{"http://[::ffff:169.254.169.254]/", "metadata"},
	{"http://[::ffff:8.8.8.8]/", "IPv4-mapped"},
	{"http://[64:ff9b::127.0.0.1]/", "loopback"},
	{"http://[64:ff9b::a9fe:a9fe]/", "metadata"},
	{"http://[64:ff9b:1::8.8.8.8]/", "local NAT64"},
	{"http://[2002:7f00:1::]/", "loopback"},
	{"http://[2002:a9fe:a9fe::1]/", "metadata"},
	{"http://[2002:c0a8:101::1]/", "private"},
	{"http://[2001:0:7f00:1::f7f7:f7f7]/", "loopback"},
	{"http://[2001:0:808:808::80ff:fffe]/", "loopback"},
	{"http://[2606:2800::5efe:127.0.0.1]/", "loopback"},
	{"http://[2606:2800::200:5efe:a9fe:a9fe]/", "metadata"},
	{"http://[fd00:ec2::254]/latest/meta-data/", "metadata"},
	{"http://[fe80::1]/", "link-local"},
	{"http://[fc00::1]/", "unique-local"},
	{"http://[fec0::1]/", "site-local"},
	{"http://[ff02::1]/", "multicast"},
	{"http://[2001:db8::1]/", "documentation"},
	{"http://[fe80::1%25lo]/", "bad_url"},
	{"http://[fe80::1%lo]/", "bad_url"},
	{"http://[::1%250]/", "bad_url"},
	{"http://[::ffff:127.1]/", "bad_url"},
	{"http://[::ffff:0x7f.0.0.1]/", "bad_url"},
	{"http://[::ffff:0177.0.0.1]/", "bad_url"},
	{"http://[::00001]/", "bad_url"},
	{"http://[::1].example.com/", "bad_url"},
	{"http://[::1]@example.com/", "bad_url"},
	{"http://[v1.127.0.0.1]/", "bad_url"},
	{"http://[[::1]]/", "bad_url"},
	{"http://::1/", "bad_url"},
	{"http://[127.0.0.1]/", "bad_url"},
	/* Which part is the host? */
	{"http://example.com@127.0.0.1/", "bad_url"},
	{"http://example.com:80@127.0.0.1/", "bad_url"},
	{"http://127.0.0.1@example.com/", "bad_url"},
	{"http://example.com%40127.0.0.1/", "bad_url"},
	{"http://@127.0.0.1/", "bad_url"},
	{"http://127.0.0.1\\@example.com/", "bad_url"},
	{"http://example.com\\.127.0.0.1/", "bad_url"},
	{"http:\\\\127.0.0.1/", "bad_url"},
	{"http:/\\127.0.0.1/", "bad_url"},
	{"http:///127.0.0.1/", "bad_url"},
	{"http:127.0.0.1/", "bad_url"},
	{"http:/127.0.0.1/", "bad_url"},
	{"//127.0.0.1/", "bad_url"},
	{"127.0.0.1", "bad_url"},
	{"http://127.0.0.1\t/", "bad_url"},
	{"http://127.0.0.1\r\nHost: example.com/", "bad_url"},
	{" http://127.0.0.1/", "bad_url"},
	{"ht\ntp://127.0.0.1/", "bad_url"},
	{"http://127.0.0.1 /", "bad_url"},
	{"http://127.0.0.1#@example.com/", "loopback"},
	{"http://127.0.0.1?@example.com/", "loopback"},
	{"http://127.0.0.1/@example.com/", "loopback"},
	/* Ports and schemes. */
	{"http://127.0.0.1:0/", "bad_url"},
	{"http://127.0.0.1:65536/", "bad_url"},
	{"http://127.0.0.1:65616/", "bad_url"},
	{"http://127.0.0.1:4294967376/", "bad_url"},
	{"http://127.0.0.1:-80/", "bad_url"},
	{"http://127.0.0.1:+80/", "bad_url"},
	{"http://127.0.0.1:080/", "bad_url"},
	{"http://127.0.0.1: 80/", "bad_url"},
	{"http://127.0.0.1:80:80/", "bad_url"},
	{"http://127.0.0.1:/", "bad_url"},
	{"file:///etc/passwd", "bad_url"},
	{"gopher://127.0.0.1:6379/_INFO", "bad_url"},
	{"dict://127.0.0.1:11211/", "bad_url"},
	{"ftp://127.0.0.1/", "bad_url"},
	{"ws://127.0.0.1/", "bad_url"},
	{"jar:http://127.0.0.1!/", "bad_url"},
	{"view-source:http://127.0.0.1/", "bad_url"},
	{"url:http://127.0.0.1/", "bad_url"},
	{"data:text/plain,x", "bad_url"},
	{"httpss://127.0.0.1/", "bad_url"},
	{"http+unix://127.0.0.1/", "bad_url"},
};

static void try_trick(struct kh_test *t, struct kh_view text, const char *want)
{
	struct kh_address address;
	struct kh_url url;

	if (kh_url_read_web(text, true, &url, &t->err) != KH_OK) {
		if (strcmp(want, t->err.code) != 0)
			fail_msg("%.*s: %s, not %s", KH_FMT(text), t->err.code, want);
		return;
	}
	if (!url.is_address || !kh_address_read(url.host, &address))
		fail_msg("%.*s: taken for a name", KH_FMT(text));
	const char *got = kh_address_refused(&address);
	if (got == NULL || strcmp(want, got) != 0)
		fail_msg("%.*s: %s, not %s", KH_FMT(text), got ? got : "public", want);
}

static void test_tricks(struct kh_test *t)
{
	char buffer[KH_URL_MAX + 1];
	struct kh_view again;
	struct kh_url url;

	for (size_t i = 0; i < COUNT(tricks); i++) {
		struct kh_view text = kh_view_str(tricks[i].text);
		try_trick(t, text, tricks[i].want);
		/* Nor is it another thing once it is written in its one spelling. */
		if (kh_url_read_web(text, true, &url, &t->err) == KH_OK) {
			must(t, kh_url_write(&url, buffer, sizeof(buffer), &again));
			try_trick(t, again, tricks[i].want);
		}
	}
}

static void test_text(struct kh_test *t)
{
	static const char *const bad[] = {
		"",
		"1",
		"1.2.3",
		"1.2.3.4.",
		"1.2.3.4.5",
		"01.2.3.4",
		"0x1.2.3.4",
		"256.1.1.1",
		"1.2.3.4 ",
		" 1.2.3.4",
		"-1.2.3.4",
		"[::1]",
		"::1%lo",
		"fe80::1%1",
		":::",
		"1::2::3",
		"12345::",
		"::1/128",
		"localhost",
		":",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"0000:0000:0000:0000:0000:0000:0000:0000:0000:0000",
	};
	static const char *const same[] = {"0.0.0.0",
					   "255.255.255.255",
					   "192.0.2.7",
					   "::",
					   "::1",
					   "2001:db8::1",
					   "::ffff:192.0.2.7",
					   "1:2:3:4:5:6:7:8",
					   "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"};
	struct kh_address address;
	char text[46];

	(void)t;
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (kh_address_read(kh_view_str(bad[i]), &address))
			fail_msg("read: %s", bad[i]);
	}
	assert_false(kh_address_read(KH_LIT("127.0.0.1\0"), &address));
	assert_false(kh_address_read(KH_LIT("127.0.0.1\0.example.com"), &address));
	for (size_t i = 0; i < COUNT(same); i++) {
		address = parse(same[i]);
		assert_int_equal(address.is_v6, strchr(same[i], ':') != NULL);
		kh_address_print(&address, text, sizeof(text));
		assert_string_equal(text, same[i]);
	}
	/* A small buffer is filled and ended, not passed. */
	memset(text, 'x', sizeof(text));
	kh_address_print(&address, text, 5);
	assert_memory_equal(text, "ffff\0x", 6);
}

/* A mapped address is judged by the IPv4 address in it; every other one is what it is. */
static void test_meant(struct kh_test *t)
{
	static const struct {
		const char *text, *range; /* NULL: public */
		bool is_v6;
	} all[] = {
		{"::ffff:8.8.8.8", NULL, false},
		{"::ffff:127.0.0.1", "loopback", false},
		{"::ffff:10.0.0.1", "private", false},
		{"8.8.8.8", NULL, false},
		{"::1", "loopback", true},
		{"::fffe:8.8.8.8", "reserved", true},
		{"::8.8.8.8", "IPv4-compatible", true},
		{"2606:4700::1", NULL, true},
	};

	(void)t;
	for (size_t i = 0; i < COUNT(all); i++) {
		struct kh_address address, meant;
		assert_true(kh_address_read(kh_view_str(all[i].text), &address));
		meant = kh_address_meant(&address);
		const char *range = kh_address_refused(&meant);
		assert_int_equal(meant.is_v6, all[i].is_v6);
		assert_true(range == NULL ? all[i].range == NULL
					  : all[i].range != NULL && strcmp(range, all[i].range) == 0);
	}
}

static void test_bytes(struct kh_test *t)
{
	static const unsigned char some[17] = {127, 0, 0, 1};
	struct kh_address address;

	(void)t;
	for (size_t n = 0; n <= sizeof(some); n++) {
		bool taken = kh_address_from_bytes(kh_view_of((const char *)some, n), &address);
		assert_int_equal(taken, n == 4 || n == 16);
		if (taken) {
			assert_int_equal(address.is_v6, n == 16);
			assert_string_equal(kh_address_refused(&address), n == 4 ? "loopback" : "reserved");
		}
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_edges),        KH_TEST_ONCE(test_beside_carriers), KH_TEST_ONCE(test_public),
	KH_TEST_ONCE(test_all_networks), KH_TEST_ONCE(test_carriers),        KH_TEST_ONCE(test_tricks),
	KH_TEST_ONCE(test_text),         KH_TEST_ONCE(test_meant),           KH_TEST_ONCE(test_bytes)};
KH_TEST_MAIN(cases)

/* E8: the name servers are the machine's own, and nothing else that a line could be taken for. */
#include "harness.h"

#include "executor/nameserver.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* Reads TEXT as if it were resolv.conf. */
static void read_text(struct kh_view text, struct kh_nameservers *ret_servers)
{
	char path[64];
	int fd = memfd_create("resolv.conf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text.p, text.n), text.n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	kh_nameserver_read(path, ret_servers);
	close(fd);
}

static void assert_servers(const struct kh_nameservers *servers, const char *const *want)
{
	char text[64];
	size_t n = 0;

	for (; want[n] != NULL; n++) {
		assert_true(n < servers->n);
		kh_address_print(&servers->at[n], text, sizeof(text));
		assert_string_equal(text, want[n]);
	}
	assert_int_equal(servers->n, n);
}

static void test_lines(struct kh_test *t)
{
	static const struct {
		const char *text, *want[KH_NAMESERVERS + 1];
	} cases[] = {
		{"nameserver 192.0.2.1\n", {"192.0.2.1"}},
		{"nameserver 192.0.2.1", {"192.0.2.1"}},
		{"nameserver\t2001:db8::1\r\n", {"2001:db8::1"}},
		{"  nameserver   192.0.2.1   # the first\nnameserver 192.0.2.2;the second\n",
		 {"192.0.2.1", "192.0.2.2"}},
		{"# nameserver 192.0.2.1\n;nameserver 192.0.2.2\nnameserver 192.0.2.3\n", {"192.0.2.3"}},
		{"search example.com\noptions ndots:5\ndomain example\nnameserver 192.0.2.1\n", {"192.0.2.1"}},
		/* No more than three, the first ones. */
		{"nameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\nnameserver 192.0.2.4\n",
		 {"192.0.2.1", "192.0.2.2", "192.0.2.3"}},
		/* What is no address is passed over, and does not take another's place. */
		{"nameserver dns.example.com\nnameserver 192.0.2.1.\nnameserver 192.0.2\nnameserver 192.0.2.9\n",
		 {"192.0.2.9"}},
		{"nameserver fe80::1%eth0\nnameserver 192.0.2.9 192.0.2.10\n", {"192.0.2.9"}},
		{"nameservers 192.0.2.1\nnameserver192.0.2.1\nNAMESERVER 192.0.2.1\nnameserver\nnameserver \n",
		 {"127.0.0.1"}},
		{"", {"127.0.0.1"}},
		{"\n\n\n", {"127.0.0.1"}},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kh_nameservers servers;
		read_text(kh_view_str(cases[i].text), &servers);
		assert_servers(&servers, cases[i].want);
	}
}

/* Without the file it is this machine, as the C library has it; lines of any length and NUL bytes do no harm. */
static void test_odd_files(struct kh_test *t)
{
	static char text[70000];
	struct kh_nameservers servers = {.n = 99};

	(void)t;
	kh_nameserver_read("/nonexistent/resolv.conf", &servers);
	assert_servers(&servers, (const char *const[]){"127.0.0.1", NULL});
	kh_nameserver_read("/proc", &servers);
	assert_servers(&servers, (const char *const[]){"127.0.0.1", NULL});
	memset(text, 'x', sizeof(text));
	memcpy(text + sizeof(text) - 22, "\nnameserver 192.0.2.1\n", 22);
	read_text(kh_view_of(text, sizeof(text)), &servers);
	assert_servers(&servers, (const char *const[]){"192.0.2.1", NULL});
	read_text(KH_LIT("name\0server 192.0.2.7\nnameserver 192.0.2.1\0 192.0.2.8\n"), &servers);
	assert_servers(&servers, (const char *const[]){"192.0.2.1", NULL});
}

/* A socket for one server's port 53 and no other place. */
static void test_connect(struct kh_test *t)
{
	struct kh_address server = {.bytes = {127, 0, 0, 1}};
	struct sockaddr_in peer = {0};
	socklen_t size = sizeof(peer);

	(void)t;
	int fd = kh_nameserver_connect(&server, false);
	assert_true(fd >= 0);
	assert_int_equal(getpeername(fd, (struct sockaddr *)&peer, &size), 0);
	assert_int_equal(ntohs(peer.sin_port), 53);
	assert_int_equal(ntohl(peer.sin_addr.s_addr), INADDR_LOOPBACK);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_lines),
	KH_TEST_ONCE(test_odd_files),
	KH_TEST_ONCE(test_connect),
};

KH_TEST_MAIN(cases)

/* E8: what the kernel says about a route is read for what it is, whatever the bytes are; what is no answer is none. */
#include "harness.h"

#include "executor/route.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <sys/socket.h>

#define NUMBER 7

struct packet {
	char bytes[512];
	size_t n;
};

static void add(struct packet *packet, const void *bytes, size_t n)
{
	memcpy(packet->bytes + packet->n, bytes, n);
	packet->n += n;
	while (packet->n % 4 != 0)
		packet->bytes[packet->n++] = 0;
}

static void add_attribute(struct packet *packet, unsigned type, const void *bytes, size_t n)
{
	const struct rtattr attribute = {(unsigned short)RTA_LENGTH(n), (unsigned short)type};

	add(packet, &attribute, sizeof(attribute));
	add(packet, bytes, n);
}

static void begin(struct packet *packet, int kind)
{
	const struct nlmsghdr header = {.nlmsg_type = (unsigned short)kind, .nlmsg_seq = NUMBER};

	*packet = (struct packet){.n = 0};
	add(packet, &header, sizeof(header));
}

static struct kh_view ended(struct packet *packet)
{
	uint32_t length = (uint32_t)packet->n;

	memcpy(packet->bytes, &length, sizeof(length));
	return kh_view_of(packet->bytes, packet->n);
}

static void begin_route(struct packet *packet, int family, unsigned type, unsigned prefix)
{
	const struct rtmsg route = {.rtm_family = (unsigned char)family,
				    .rtm_dst_len = (unsigned char)prefix,
				    .rtm_type = (unsigned char)type};

	begin(packet, RTM_NEWROUTE);
	add(packet, &route, sizeof(route));
}

static void add_hop(struct packet *hops, bool has_gateway)
{
	const unsigned char gateway[4] = {10, 0, 0, 1};
	struct rtnexthop hop = {.rtnh_len = (unsigned short)(sizeof(hop) + (has_gateway ? RTA_LENGTH(4) : 0))};

	add(hops, &hop, sizeof(hop));
	if (has_gateway)
		add_attribute(hops, RTA_GATEWAY, gateway, sizeof(gateway));
}

static void test_answers(struct kh_test *t)
{
	const unsigned char gateway[6] = {0, 2, 10, 0, 0, 1};
	struct kh_route_answer answer;
	struct packet packet;

	(void)t;
	begin_route(&packet, AF_INET, RTN_LOCAL, 32);
	assert_true(kh_route_read(ended(&packet), NUMBER, AF_INET, &answer));
	assert_int_equal(answer.type, RTN_LOCAL);
	assert_int_equal(answer.prefix, 32);
	assert_int_equal(answer.error, 0);
	assert_false(answer.has_gateway);
	begin_route(&packet, AF_INET, RTN_UNICAST, 0);
	add_attribute(&packet, RTA_OIF, gateway, 4);
	add_attribute(&packet, RTA_GATEWAY, gateway + 2, 4);
	assert_true(kh_route_read(ended(&packet), NUMBER, AF_INET, &answer));
	assert_true(answer.has_gateway);
	begin_route(&packet, AF_INET6, RTN_UNICAST, 128); /* the last attribute is not padded to its end */
	add_attribute(&packet, RTA_VIA, gateway, sizeof(gateway));
	assert_true(kh_route_read(ended(&packet), NUMBER, AF_INET6, &answer));
	assert_true(answer.has_gateway);
	assert_int_equal(answer.prefix, 128);
}

static void test_next_hops(struct kh_test *t)
{
	struct kh_route_answer answer;

	(void)t;
	for (int second = 0; second < 2; second++) {
		struct packet packet, hops = {.n = 0};
		add_hop(&hops, true);
		add_hop(&hops, second == 1);
		begin_route(&packet, AF_INET, RTN_UNICAST, 24);
		add_attribute(&packet, RTA_MULTIPATH, hops.bytes, hops.n);
		assert_true(kh_route_read(ended(&packet), NUMBER, AF_INET, &answer));
		assert_true(answer.has_next_hops);
		assert_int_equal(answer.is_without, second == 0);
		/* A hop that says that it is longer than what is there, and one shorter than itself. */
		for (int lie = 0; lie < 2; lie++) {
			unsigned short length = lie == 0 ? 200 : 3;
			memcpy(hops.bytes, &length, sizeof(length));
			begin_route(&packet, AF_INET, RTN_UNICAST, 24);
			add_attribute(&packet, RTA_MULTIPATH, hops.bytes, hops.n);
			assert_false(kh_route_read(ended(&packet), NUMBER, AF_INET, &answer));
		}
	}
}

static void test_errors(struct kh_test *t)
{
	struct kh_route_answer answer = {.error = 0};
	struct packet packet;

	(void)t;
	for (int code = -ENETUNREACH; code <= 0; code += ENETUNREACH) {
		const struct nlmsgerr error = {.error = code};
		begin(&packet, NLMSG_ERROR);
		add(&packet, &error, sizeof(error));
		assert_int_equal(kh_route_read(ended(&packet), NUMBER, AF_INET, &answer), code != 0);
	}
	assert_int_equal(answer.error, ENETUNREACH);
	begin(&packet, NLMSG_ERROR);
	assert_false(kh_route_read(ended(&packet), NUMBER, AF_INET, &answer));
}

/* Another question's answer, another family, an impossible prefix, another type of message. */
static void test_not_answers(struct kh_test *t)
{
	struct kh_route_answer answer;
	struct packet packet;

	(void)t;
	begin_route(&packet, AF_INET, RTN_UNICAST, 24);
	assert_true(kh_route_read(ended(&packet), NUMBER, AF_INET, &answer));
	assert_false(kh_route_read(ended(&packet), NUMBER + 1, AF_INET, &answer));
	assert_false(kh_route_read(ended(&packet), NUMBER, AF_INET6, &answer));
	begin_route(&packet, AF_INET, RTN_UNICAST, 33);
	assert_false(kh_route_read(ended(&packet), NUMBER, AF_INET, &answer));
	begin(&packet, NLMSG_DONE);
	assert_false(kh_route_read(ended(&packet), NUMBER, AF_INET, &answer));
}

/* Every cut and every changed byte: it may be an answer or not, but nothing outside of the bytes is read. */
static void test_hostile_bytes(struct kh_test *t)
{
	const unsigned char gateway[4] = {10, 0, 0, 1};
	struct kh_route_answer answer;
	struct packet packet, hops = {.n = 0};

	(void)t;
	add_hop(&hops, true);
	add_hop(&hops, false);
	begin_route(&packet, AF_INET, RTN_UNICAST, 24);
	add_attribute(&packet, RTA_GATEWAY, gateway, sizeof(gateway));
	add_attribute(&packet, RTA_MULTIPATH, hops.bytes, hops.n);
	struct kh_view whole = ended(&packet);
	for (size_t n = 0; n <= whole.n; n++) {
		char *bytes = malloc(n > 0 ? n : 1); /* so that reading past N is seen */
		for (size_t at = 0; at <= n; at++) {
			for (int value = 0; value < 256; value += 51) {
				memcpy(bytes, whole.p, n);
				if (at < n)
					bytes[at] = (char)value;
				bool read = kh_route_read(kh_view_of(bytes, n), NUMBER, AF_INET, &answer);
				assert_true(n >= sizeof(struct nlmsghdr) || !read);
			}
		}
		free(bytes);
	}
}

/* The kernel itself. */
static void test_kernel(struct kh_test *t)
{
	const struct kh_address here = {.bytes = {127, 0, 0, 1}},
				carried = {.is_v6 = true, .bytes = {0x20, 0x02, 127, 0, 0, 1}};

	(void)t;
	assert_int_equal(kh_route_find(&here, 443), KH_ROUTE_HERE);
	assert_int_equal(kh_route_find(&carried, 443), KH_ROUTE_HERE);
	assert_string_equal(kh_route_refusal(KH_ROUTE_HERE), "this machine itself");
	assert_null(kh_route_refusal(KH_ROUTE_BEYOND));
	assert_null(kh_route_refusal(KH_ROUTE_NONE));
	assert_non_null(kh_route_refusal(KH_ROUTE_UNKNOWN));
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_answers),     KH_TEST_ONCE(test_next_hops),     KH_TEST_ONCE(test_errors),
	KH_TEST_ONCE(test_not_answers), KH_TEST_ONCE(test_hostile_bytes), KH_TEST_ONCE(test_kernel),
};

KH_TEST_MAIN(cases)

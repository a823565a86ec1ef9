/*
 * Answers of name servers (E8): whatever a packet says, what is taken of it are a few addresses of the kind that was
 * asked for; and the file of hosts, whatever it has for lines.
 */
#include "fuzz.h"

#include "worker/resolve/dns.h"
#include "worker/resolve/hosts.h"

#define NAME "www.example.com"

static void check_answer(struct kh_view packet, enum kh_dns_type type)
{
	struct kh_address list[KH_DNS_ADDRESSES], again[KH_DNS_ADDRESSES];
	size_t count = SIZE_MAX, count_again = SIZE_MAX;
	struct kh_dns_question question = {.type = type, .name = KH_LIT(NAME)};

	/* The id is the one asked for: guessing it is not what is tried here. */
	if (packet.n >= 2)
		question.id = (uint16_t)((unsigned)(unsigned char)packet.p[0] << 8 | (unsigned char)packet.p[1]);
	memset(list, 0, sizeof(list));
	memset(again, 0, sizeof(again));
	enum kh_dns_verdict verdict = kh_dns_read(packet, &question, list, &count);
	HOLDS(verdict <= KH_DNS_FAILED);
	HOLDS((verdict == KH_DNS_ANSWERED) == (count != SIZE_MAX));
	if (verdict == KH_DNS_ANSWERED) {
		HOLDS(count <= KH_DNS_ADDRESSES);
		for (size_t i = 0; i < count; i++)
			HOLDS(list[i].is_v6 == (type == KH_DNS_AAAA));
	}
	HOLDS(kh_dns_read(packet, &question, again, &count_again) == verdict && count_again == count);
	HOLDS(memcmp(list, again, sizeof(list)) == 0);
	question.id ^= 1;
	HOLDS(kh_dns_read(packet, &question, list, &count) == KH_DNS_FOREIGN);
}

/* A question is never taken for an answer, and fits. */
static void check_question(struct kh_view name)
{
	struct kh_dns_question question = {.id = 7, .type = KH_DNS_A, .name = name};
	struct kh_address list[KH_DNS_ADDRESSES];
	unsigned char buffer[KH_DNS_QUERY];
	size_t count, n = kh_dns_write(&question, buffer);

	HOLDS(n <= sizeof(buffer));
	if (n > 0)
		HOLDS(kh_dns_read(kh_view_of((const char *)buffer, n), &question, list, &count) == KH_DNS_FOREIGN);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view bytes = kh_fuzz_view(data, size);
	struct kh_address list[4];

	check_answer(bytes, KH_DNS_A);
	check_answer(bytes, KH_DNS_AAAA);
	check_question(bytes);
	HOLDS(kh_hosts_find(bytes, KH_LIT(NAME), 4, list) <= 4);
	return 0;
}

/*
 * First bytes of a connection (U2), and the kernel's answers about routes (E8).  Whatever the bytes are, a ClientHello
 * matches only if the name is in it; cut anywhere, it does not; a route's answer is one only if it is for the question.
 */
#include "fuzz.h"

#include "executor/route.h"
#include "worker/sni/hello.h"

#include <sys/socket.h>

#define NAME "api.example"

static bool has_name(struct kh_view bytes)
{
	for (size_t at = 0; at + strlen(NAME) <= bytes.n; at++)
		if (kh_view_eq_nocase(kh_view_sub(bytes, at, at + strlen(NAME)), KH_LIT(NAME)))
			return true;
	return false;
}

static void check_hello(struct kh_view bytes)
{
	enum kh_greeting greeting = kh_hello_judge(bytes, KH_LIT(NAME));

	HOLDS(greeting < KH_GREETINGS);
	HOLDS(kh_hello_judge(bytes, KH_LIT(NAME)) == greeting);
	HOLDS(greeting != KH_GREETING_MATCHES || has_name(bytes));
	HOLDS(greeting != KH_GREETING_MATCHES || kh_hello_judge(bytes, KH_LIT("other.example")) == KH_GREETING_OTHER);
	/* Only what is whole: with a byte too many it is another's, and cut it may be whole. */
	HOLDS((greeting != KH_GREETING_MATCHES && greeting != KH_GREETING_ECH) ||
	      kh_hello_judge(kh_view_sub(bytes, 0, bytes.n - 1), KH_LIT(NAME)) == KH_GREETING_OTHER);
}

static void check_route(struct kh_view bytes)
{
	static const int families[] = {AF_INET, AF_INET6};
	struct kh_route_answer answer = {.prefix = UINT32_MAX};

	for (size_t i = 0; i < 2; i++) {
		if (!kh_route_read(bytes, 7, families[i], &answer))
			continue;
		HOLDS(answer.error > 0 ? answer.error < 4096 : answer.prefix <= (i == 0 ? 32 : 128));
		HOLDS(answer.has_next_hops || !answer.is_without);
		HOLDS(!kh_route_read(bytes, 8, families[i], &answer));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view bytes = kh_view_of((const char *)data, size);

	check_hello(bytes);
	check_route(bytes);
	return 0;
}

/* Sums of a query's account, with overflow checks. */
#include "core/policy/account.h"

#include "core/bcp/bits.h"

/* How many ways there are to choose MOMENTS slots of SLOTS, each the one before or a later one. */
static uint64_t count_moments(uint64_t slots, unsigned moments)
{
	uint64_t ways = 1;

	for (unsigned i = 0; i < moments; i++)
		ways = ways * (slots + i) / (i + 1);
	return ways;
}

enum kh_err kh_account_open(enum kh_release release, uint64_t content, uint64_t deadline_ms, unsigned moments,
			    struct kh_account *ret_account)
{
	struct kh_account account = {.content = content, .outcome = KH_BITS_OUTCOME};

	if (release == KH_RELEASE_SLOTS)
		account.time = kh_bits_log2(count_moments(kh_bits_slots(deadline_ms), moments));
	if (__builtin_add_overflow(account.outcome + account.time, content, &account.total))
		return KH_ELIMIT;
	*ret_account = account;
	return KH_OK;
}

uint64_t kh_account_decision(enum kh_release release, uint64_t limit_ms)
{
	uint64_t slots = kh_bits_decision_slots(limit_ms) * kh_bits_slots(KH_ACCOUNT_TAKEN_MS);

	return KH_BITS_OUTCOME + (release == KH_RELEASE_SLOTS ? kh_bits_log2(slots) : 0);
}

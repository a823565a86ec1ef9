/* Converts trust, type and taint to words and back. */
#include "core/block/label.h"

static const char *const trusts[] = {[KH_TRUSTED] = "trusted", [KH_VETTED] = "vetted", [KH_UNTRUSTED] = "untrusted"};
static const char *const types[] = {[KH_INSTRUCTION] = "instruction", [KH_DATA] = "data"};
static const char *const taints[] = {[KH_TAINT_LOW] = "low", [KH_TAINT_MEDIUM] = "medium", [KH_TAINT_HIGH] = "high"};

#define COUNT(words) (sizeof(words) / sizeof((words)[0]))

/* The index of WORD in WORDS, or COUNT. */
static size_t find(const char *const *words, size_t count, struct kh_view word)
{
	size_t i = 0;

	while (i < count && !kh_view_eq(kh_view_str(words[i]), word))
		i++;
	return i;
}

const char *kh_label_trust(enum kh_trust trust)
{
	return trusts[trust];
}

const char *kh_label_type(enum kh_type type)
{
	return types[type];
}

const char *kh_label_taint(enum kh_taint taint)
{
	return taints[taint];
}

bool kh_label_parse_trust(struct kh_view word, enum kh_trust *ret_trust)
{
	size_t i = find(trusts, COUNT(trusts), word);

	if (i == COUNT(trusts))
		return false;
	*ret_trust = (enum kh_trust)i;
	return true;
}

bool kh_label_parse_type(struct kh_view word, enum kh_type *ret_type)
{
	size_t i = find(types, COUNT(types), word);

	if (i == COUNT(types))
		return false;
	*ret_type = (enum kh_type)i;
	return true;
}

bool kh_label_parse_taint(struct kh_view word, enum kh_taint *ret_taint)
{
	size_t i = find(taints, COUNT(taints), word);

	if (i == COUNT(taints))
		return false;
	*ret_taint = (enum kh_taint)i;
	return true;
}

enum kh_taint kh_label_initial_taint(enum kh_trust trust)
{
	return trust == KH_UNTRUSTED ? KH_TAINT_HIGH : KH_TAINT_LOW;
}

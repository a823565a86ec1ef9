/* The words of trust, type and taint. */
#include "core/block/label.h"

const struct kh_words kh_label_trust_words =
	KH_WORDS([KH_TRUSTED] = "trusted", [KH_VETTED] = "vetted", [KH_UNTRUSTED] = "untrusted");
const struct kh_words kh_label_type_words = KH_WORDS([KH_INSTRUCTION] = "instruction", [KH_DATA] = "data");
const struct kh_words kh_label_taint_words =
	KH_WORDS([KH_TAINT_LOW] = "low", [KH_TAINT_MEDIUM] = "medium", [KH_TAINT_HIGH] = "high");

enum kh_taint kh_label_initial_taint(enum kh_trust trust)
{
	return trust == KH_UNTRUSTED ? KH_TAINT_HIGH : KH_TAINT_LOW;
}

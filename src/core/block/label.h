/* The labels of a block: trust, type and taint, with their words. */
#ifndef KH_CORE_BLOCK_LABEL_H
#define KH_CORE_BLOCK_LABEL_H

#include "base/words.h"

enum kh_trust { KH_TRUSTED, KH_VETTED, KH_UNTRUSTED }; /* a larger value is trusted less */
enum kh_type { KH_INSTRUCTION, KH_DATA };
enum kh_taint { KH_TAINT_LOW, KH_TAINT_MEDIUM, KH_TAINT_HIGH };
extern const struct kh_words kh_label_trust_words, kh_label_type_words, kh_label_taint_words;

/* The initial taint of a block of this trust: high for untrusted, low for the others. */
enum kh_taint kh_label_initial_taint(enum kh_trust trust);

static inline enum kh_taint kh_label_max_taint(enum kh_taint a, enum kh_taint b)
{
	return a > b ? a : b;
}

#endif

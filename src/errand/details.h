/*
 * The details of an errand: a JSON object, for humans, with what came from outside besides the content.  Text is made
 * fit for JSON here: cut, and with U+FFFD for what is not UTF-8.
 */
#ifndef KH_ERRAND_DETAILS_H
#define KH_ERRAND_DETAILS_H

#include "errand/errand.h"

struct kh_details {
	struct kh_arena *arena;
	yyjson_mut_doc *doc;
	yyjson_mut_val *root; /* NULL if the arena is out of memory */
};

void kh_details_init(struct kh_details *details, struct kh_arena *arena);

/* KEY is a literal. */
void kh_details_number(struct kh_details *details, const char *key, uint64_t value);
void kh_details_bool(struct kh_details *details, const char *key, bool value);
/* At most MOST bytes of VALUE; an empty one adds nothing. */
void kh_details_text(struct kh_details *details, const char *key, struct kh_tainted value, size_t most);
/* Our own text. */
void kh_details_word(struct kh_details *details, const char *key, struct kh_view word);

enum kh_err kh_details_end(const struct kh_details *details, struct kh_tainted *ret_details) KH_CHECKED;

#endif

/* The parts of a mail: headers, greeting, signature.  A text that is not a mail has empty parts and is all body. */
#ifndef KH_READER_MAIL_H
#define KH_READER_MAIL_H

#include "reader/tokens.h"

/* Tokens [first, end). */
struct kh_range {
	size_t first, end;
};

struct kh_mail {
	struct kh_range from, to, cc, date, subject;
	struct kh_range greeting;  /* who is greeted */
	struct kh_range signature; /* who signs */
	size_t body;               /* its first token */
};

struct kh_mail kh_mail_read(const struct kh_tokens *tokens);

static inline bool kh_mail_within(struct kh_range range, size_t i)
{
	return i >= range.first && i < range.end;
}

#endif

/*
 * Text of what came: HTML by a parser in a sandbox, PDF by poppler's pdftotext in another where it is installed, other
 * text as it is.  What is not UTF-8 becomes it: by the charset that was said, else with U+FFFD for what is not. Control
 * characters but newline and tab do not come out.
 */
#ifndef KH_ERRAND_TOTEXT_H
#define KH_ERRAND_TOTEXT_H

#include "errand/errand.h"

struct kh_totext {
	struct kh_tainted bytes;
	struct kh_tainted type; /* what was said of it: a Content-Type, a file's name; may be empty.  A hint: the bytes
				   themselves are looked at too */
	bool plain;             /* it is text, whatever it looks like */
	uint64_t wall_ms;
};

/*
 * *RET_RESULT's content is the text, and original BYTES where they differ.  Where no text can be had (a picture, a
 * parser that died), end is FAILED and why says so.  Fails for lack of memory alone.
 */
enum kh_err kh_totext_run(const struct kh_errand_tools *tools, const struct kh_totext *totext, struct kh_arena *arena,
			  struct kh_errand_result *ret_result) KH_CHECKED;

#endif

/*
 * Makes text of content: HTML by a parser in a sandbox, PDF by poppler's pdftotext in another if it is installed, other
 * text as it is.  Text that is not UTF-8 is converted: from its declared charset, else with U+FFFD for invalid bytes.
 * The output has no control characters except newline and tab.
 */
#ifndef KH_ERRAND_TOTEXT_H
#define KH_ERRAND_TOTEXT_H

#include "errand/errand.h"

struct kh_totext {
	struct kh_errand_limits limits;
	struct kh_tainted bytes;
	struct kh_tainted type; /* a hint: its Content-Type or file name; may be empty.  The bytes are checked too */
	bool plain;             /* it is text, whatever it looks like */
	int64_t deadline;       /* for all steps together, by kh_clock_ms() */
};

/*
 * Sets RESULT's content to the text, and original to BYTES if they differ.  If no text can be made (a picture, a parser
 * that died), end is FAILED and why says so.  Fails only for lack of memory.
 */
enum kh_err kh_totext_run(const struct kh_errand_tools *tools, const struct kh_totext *totext, struct kh_arena *arena,
			  struct kh_errand_result *result) KH_CHECKED;

#endif

/*
 * One spelling of what an operation was asked for (B19): its name, and a digest of its parameters in their canonical
 * form.  Two calls with the same text ask for the same thing, however the Controller spelled it.
 *
 * The canonical form is for comparing alone; what is sent is what was written.  A URL: RFC 3986, section 6.2.2 (dot
 * segments, escapes that are not needed), without an empty query and a fragment.  A path: without empty segments and
 * ".".  The URI of a resource: both, and without regard to the case of its scheme and host.  Search texts and
 * statements: without regard to case, blanks and invisible characters.  An empty list of arguments or values is none,
 * and how many results a search may have makes no difference.
 */
#ifndef KH_CORE_COMM_ORIGIN_H
#define KH_CORE_COMM_ORIGIN_H

#include "base/canonical.h"
#include "base/json.h"

/* "comm.fetch HEX".  PARAMETERS: an object, as declared.  An operation without a row has no spellings of its own. */
enum kh_err kh_origin_text(struct kh_arena *arena, struct kh_view operation, yyjson_val *parameters,
			   struct kh_view *ret_text, struct kh_error *err) KH_CHECKED;

/*
 * A digest of the normal form of TEXT (UTF-8) in which tier 1 compares (core/screen/fold.h): letters and digits alone,
 * without regard to case, accents, look-alikes and invisible characters.  Text without any of them: of TEXT itself.
 * ARENA has nothing else in it: it is cleared.
 */
enum kh_err kh_origin_normal(struct kh_arena *arena, struct kh_view text, struct kh_digest *ret_digest) KH_CHECKED;

#endif

/*
 * JSON as editors write it: with comments and with commas before a closing bracket.
 */
#ifndef KH_CLI_UPSTREAM_RELAXED_H
#define KH_CLI_UPSTREAM_RELAXED_H

#include "base/json.h"

/*
 * Reads TEXT as strict JSON (base/json.h), after blanks have taken the place of comments and of such commas; so an
 * offset in a message is one of TEXT.  KH_EINPUT, code `import_invalid`; the detail names the line.
 */
enum kh_err kh_relaxed_read(struct kh_arena *arena, struct kh_view text, yyjson_val **ret_root,
			    struct kh_error *err) KH_CHECKED;

#endif

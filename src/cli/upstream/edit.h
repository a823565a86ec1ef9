/*
 * Entries of `upstreams` put into the text of keyhole.yaml and taken out of it.  Everything else, comments and blanks
 * too, stays byte for byte.  Pure: whoever writes the file has read the result as a configuration first.
 */
#ifndef KH_CLI_UPSTREAM_EDIT_H
#define KH_CLI_UPSTREAM_EDIT_H

#include "base/error.h"

/*
 * TEXT with ENTRIES, which begin at column 0 ("- name: ..."), at the beginning of the section; it is made at the end of
 * the file if it is missing.  KH_EREFUSED, code `upstream_flow`, if the section is written in brackets.
 */
enum kh_err kh_edit_add(struct kh_arena *arena, struct kh_view text, struct kh_view entries, struct kh_view *ret_text,
			struct kh_error *err) KH_CHECKED;

/*
 * TEXT without the entry NAME; the section's own line goes with the last entry.  KH_EUNKNOWN, code `upstream_unknown`, if
 * there is none; KH_EREFUSED `upstream_flow` as above.
 */
enum kh_err kh_edit_remove(struct kh_arena *arena, struct kh_view text, struct kh_view name, struct kh_view *ret_text,
			   struct kh_error *err) KH_CHECKED;

#endif

/* Input of the command line: whole files and lines of any length, in an arena. */
#ifndef KH_HOME_FILE_H
#define KH_HOME_FILE_H

#include "base/arena.h"

#include <stdio.h>

#define KH_FILE_LIMIT (256U << 20) /* of a file or a line */

/*
 * All that is left of FILE.  KH_ELIMIT where it passes the limit, KH_ENOMEM, or KH_EINPUT where it cannot be read
 * (errno says why).
 */
enum kh_err kh_file_read(FILE *file, struct kh_arena *arena, struct kh_view *ret_text) KH_CHECKED;

/* The next line of FILE without its newline; *RET_END (and KH_OK) where there is none.  A line over the limit is read
 * to its end all the same, so that the next one can be. */
enum kh_err kh_file_line(FILE *file, struct kh_arena *arena, struct kh_view *ret_line, bool *ret_end) KH_CHECKED;

/* The text of the file that PATH names.  *ERR says why not. */
enum kh_err kh_file_named(struct kh_arena *arena, struct kh_view path, struct kh_view *ret_text,
			  struct kh_error *err) KH_CHECKED;

#endif

/* Input of the command line: whole files and lines of any length, in an arena. */
#ifndef KH_HOME_FILE_H
#define KH_HOME_FILE_H

#include "base/arena.h"

#include <stdio.h>

#define KH_FILE_LIMIT (256U << 20) /* bytes of a file or a line */

/* Reads all that is left of FILE.  KH_ELIMIT if it passes the limit, KH_ENOMEM, or KH_EINPUT if it cannot be read
 * (errno says why). */
enum kh_err kh_file_read(FILE *file, struct kh_arena *arena, struct kh_view *ret_text) KH_CHECKED;

/* Reads the next line of FILE, without its newline; sets *RET_END (and returns KH_OK) if there is none.  A line over
 * the limit is still read to its end, so that the next one can be read. */
enum kh_err kh_file_line(FILE *file, struct kh_arena *arena, struct kh_view *ret_line, bool *ret_end) KH_CHECKED;

/* Reads the file that PATH names.  If that fails, *ERR says why. */
enum kh_err kh_file_named(struct kh_arena *arena, struct kh_view path, struct kh_view *ret_text,
			  struct kh_error *err) KH_CHECKED;

/* Writes all of TEXT to FD, and waits until it is on the disk.  False if it cannot be (errno). */
bool kh_file_write(int fd, struct kh_view text);

/* Closes FD, if it is not negative; errno stays as it is. */
void kh_file_close(int fd);

#endif

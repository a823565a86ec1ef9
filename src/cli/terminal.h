/*
 * The only place where untrusted text is written to standard output or error: what a program in the sandbox wrote, what
 * a server sent.
 *
 * A terminal obeys what it is shown: escape sequences move the cursor, set titles, answer in the user's name; bidi and
 * invisible characters show one text and contain another.  So if the descriptor is a terminal, the following are
 * written as visible escapes: control characters except newline and tab, C1, bytes that are not UTF-8, and characters
 * that are invisible or reorder others.  \x1b stands for a control character or a byte, \u202e for others (those
 * outside of the first plane as two, like in JSON; so a line of JSON stays JSON).  If it is not a terminal, bytes are
 * written unchanged.
 *
 * Nothing here blocks if poll(2) says that the descriptor is writable: pieces are no longer than a pipe accepts.
 */
#ifndef KH_CLI_TERMINAL_H
#define KH_CLI_TERMINAL_H

#include "base/buf.h"
#include "base/tainted.h"

#define KH_TERMINAL_TAKES 65536 /* bytes at a time */

struct kh_terminal {
	int fd;
	bool escapes, ended;
	int error;                      /* errno of the write that failed; nothing is written after it */
	size_t from, to;                /* of IN: what has not been converted */
	size_t start, end;              /* of OUT: what has not been written */
	char in[KH_TERMINAL_TAKES + 4]; /* and the beginning of a character whose rest had not come */
	char out[4096];                 /* PIPE_BUF */
};

/* RAW: bytes are written unchanged even to a terminal. */
void kh_terminal_init(struct kh_terminal *terminal, int fd, bool raw);

/* True if all that was given has been written, or cannot be. */
bool kh_terminal_is_idle(const struct kh_terminal *terminal);

/* Takes BYTES (copied, at most KH_TERMINAL_TAKES); call it only when idle. */
void kh_terminal_give(struct kh_terminal *terminal, struct kh_tainted bytes);

/* There is no more input: a character that is not complete will not be completed. */
void kh_terminal_end(struct kh_terminal *terminal);

/* Writes a piece. */
void kh_terminal_pump(struct kh_terminal *terminal);

/*
 * Writes TEXT, text of others that a human is to judge, as lines that cannot be mistaken for anything else: each has
 * its number and a bar at its left, "    3 | ", and if it had to be wrapped at COLUMNS, "      : ".  The following
 * holds for any output, terminal or not: control characters and invisible characters are written as \u{202e} and so on,
 * also blanks except the plain one, a tab as \t, a backslash as two; of combining marks, at most three stay on one
 * character.  An empty text is one empty line.
 */
void kh_terminal_frame(struct kh_buf *buf, struct kh_tainted text, size_t columns);

/* Returns the width of the terminal FD; 80 if it is not a terminal or does not say. */
size_t kh_terminal_columns(int fd);

/* Writes all of TEXT, however long that takes: for our messages that contain text of others.  False: see ERROR. */
bool kh_terminal_say(struct kh_terminal *terminal, struct kh_view text);

#endif

/*
 * The one place where text of the world gets to standard output or error: what a program in the sandbox wrote, what a
 * server sent.
 *
 * A terminal obeys what it is shown: escape sequences move the cursor, set titles, answer in the user's name; bidi and
 * invisible characters show one text and hold another.  So where the descriptor is a terminal, control characters but
 * newline and tab, C1, bytes that are not UTF-8, and characters that nobody sees or that reorder others are written as
 * visible escapes: \x1b for a control character or a byte, \u202e for others (those outside of the first plane as two,
 * as JSON has them; so a line of JSON stays one).  Elsewhere, bytes are bytes.
 *
 * Nothing here blocks where poll(2) says that the descriptor is writable: pieces are no longer than a pipe takes.
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
	size_t from, to;                /* of IN: what has not been looked at */
	size_t start, end;              /* of OUT: what has not been written */
	char in[KH_TERMINAL_TAKES + 4]; /* and the beginning of a character whose rest had not come */
	char out[4096];                 /* PIPE_BUF */
};

/* RAW: bytes even on a terminal. */
void kh_terminal_init(struct kh_terminal *terminal, int fd, bool raw);

/* True where all that was given has been written, or cannot be. */
bool kh_terminal_is_idle(const struct kh_terminal *terminal);

/* Takes BYTES (a copy, KH_TERMINAL_TAKES at most); only when idle. */
void kh_terminal_give(struct kh_terminal *terminal, struct kh_tainted bytes);

/* Nothing more will come: a character that is not complete never will be. */
void kh_terminal_end(struct kh_terminal *terminal);

/* Writes a piece. */
void kh_terminal_pump(struct kh_terminal *terminal);

/*
 * Writes TEXT, words of others that a human is to judge, as lines that cannot be taken for anything else: each has its
 * number and a bar at its left, "    3 | ", and where it had to be wrapped at COLUMNS, "      : ".  Wherever it goes,
 * terminal or not: what a terminal would obey, and what nobody sees, is written as \u{202e} and so on, blanks but the
 * plain one too, a tab as \t, a backslash as two; of marks that combine, no more than three stay on one character.
 * An empty text is one empty line.
 */
void kh_terminal_frame(struct kh_buf *buf, struct kh_tainted text, size_t columns);

/* How wide the terminal is that FD is; 80 where it is none or does not say. */
size_t kh_terminal_columns(int fd);

/* Writes all of TEXT, however long that takes: for messages of ours that hold words of others.  False: see ERROR. */
bool kh_terminal_say(struct kh_terminal *terminal, struct kh_view text);

#endif

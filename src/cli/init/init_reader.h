/*
 * The model that `keyhole init` makes a Reader of (G9, E1): options name it, or a human does on a terminal.
 *
 * Everything here was typed by somebody.  It gets into keyhole.yaml through one function, in quotes, and what the
 * configuration's own code reads back from it must be what was typed.  So no value can become another key, and a value
 * that the gateway would refuse is refused before anything is made.  A key itself is never asked for and never written.
 */
#ifndef KH_CLI_INIT_INIT_READER_H
#define KH_CLI_INIT_INIT_READER_H

#include "cli/frame.h"

/* What options or answers say; empty: nothing. */
struct kh_init_reader {
	struct kh_view url; /* "none": there is no model, and nothing is asked */
	struct kh_view model, key_file, key_environment;
	struct kh_view driver;   /* empty: by the path of the URL */
	struct kh_view internal; /* "yes" or "no"; empty: no */
};

/* What came of it. */
struct kh_init_reader_made {
	struct kh_view yaml;       /* the section `readers`; empty: there is no model */
	struct kh_view name, host; /* of the Reader, and of the endpoint */
	struct kh_view key_file;
	bool is_here;    /* the endpoint is this machine's own */
	bool is_outside; /* words to it leave (kh_config_is_outside) */
};

/* Writes TEXT as a value of YAML: in double quotes, on one line, whatever it has.  TEXT is UTF-8. */
void kh_init_reader_quote(struct kh_buf *buf, struct kh_view text);

/*
 * Writes the section and reads it as a gateway would.  KH_EINPUT: `bad_option`, or `policy_invalid` as for a file.
 */
enum kh_err kh_init_reader_write(struct kh_arena *arena, const struct kh_init_reader *reader,
				 struct kh_init_reader_made *ret_made, struct kh_error *err) KH_CHECKED;

/*
 * Takes what the options say; if they name no model, and MAY_ASK and there is a terminal, asks for one.  KH_EINPUT also
 * if an answer does not come: `no_answer`.  Nothing is made here.
 */
enum kh_err kh_init_reader_find(struct kh_frame *f, const struct kh_init_reader *options, bool may_ask,
				struct kh_init_reader_made *ret_made) KH_CHECKED;

/* "yes" or "no", as --internal; empty if there is no model. */
struct kh_view kh_init_reader_word(const struct kh_init_reader_made *made);

/* Says what was made, if there is a model: who is asked, when, and where its key has to be. */
void kh_init_reader_tell(struct kh_buf *buf, const struct kh_init_reader_made *made, struct kh_view home);

#endif

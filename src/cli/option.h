/*
 * Options of a command, in one table, which is used to read them and to print the help.
 *
 * A long option is "--name VALUE" or "--name=VALUE"; abbreviations are not accepted.  "--" ends them.
 */
#ifndef KH_CLI_OPTION_H
#define KH_CLI_OPTION_H

#include "base/error.h"

#include <stddef.h>
#include <stdio.h>

#define KH_OPTION_LIST 32

struct kh_option_list {
	const char *at[KH_OPTION_LIST];
	size_t n;
};

enum kh_option_unit {
	KH_OPTION_COUNT = 0, /* 1 or more */
	KH_OPTION_NUMBER,    /* 0 or more */
	KH_OPTION_BYTES,     /* with K, M or G: 1024, 1024^2, 1024^3 */
	KH_OPTION_SECONDS,   /* with up to three digits after a point, not 0; the number is milliseconds */
	KH_OPTION_WAIT,      /* the same, but 0 is allowed */
};

/* The type of the member that an option fills. */
enum kh_option_type { KH_OPTION_IS_FLAG, KH_OPTION_IS_TEXT, KH_OPTION_IS_VIEW, KH_OPTION_IS_LIST, KH_OPTION_IS_NUMBER };

/* One option, and the member of the command's arguments that it fills. */
struct kh_option {
	const char *name;  /* "--read" */
	const char *value; /* the name of the value in the help: "PATH"; NULL for a flag */
	const char *about;
	enum kh_option_type type;
	size_t at; /* the member's offset */
	enum kh_option_unit unit;
	uint64_t preset; /* the number if the option is not given */
};

/* Entries of a table for MEMBER of the struct ARGUMENTS: its C type says how the value is read. */
#define KH_OPTION(arguments, member) \
	.type = _Generic(((arguments *)0)->member,          \
		bool: KH_OPTION_IS_FLAG,                    \
		const char *: KH_OPTION_IS_TEXT,            \
		struct kh_view: KH_OPTION_IS_VIEW,          \
		struct kh_option_list: KH_OPTION_IS_LIST,   \
		uint64_t: KH_OPTION_IS_NUMBER),             \
	.at = offsetof(arguments, member)

/* A table of options, and the struct that they fill. */
struct kh_options {
	const struct kh_option *at;
	size_t n;
	void *args;
};

/* Stores the presets of numbers.  Everything else that is not given stays as it is: zero, if ARGS is. */
void kh_option_preset(const struct kh_options *options);

/*
 * Reads the options of ARGV from 1 on, which are those of COUNT tables, and puts the arguments that are not options
 * into RET_WORDS, which has room for ARGC: their number is *RET_COUNT.  Options may stand before, between and after
 * these, up to "--"; with FIRST they stand before.  KH_EINPUT, code `bad_option`, if one is unknown, given twice, or its
 * value is missing or not valid.
 */
enum kh_err kh_option_read(const struct kh_options *tables, size_t count, bool first, int argc, char **argv,
			   char **ret_words, int *ret_count, struct kh_error *err) KH_CHECKED;

/* Prints a line for each. */
void kh_option_print(const struct kh_options *options, FILE *out);

#endif

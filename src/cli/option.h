/*
 * Options of a command, in one table, which is used to read them and to print the help.
 *
 * A long option is "--name VALUE" or "--name=VALUE"; abbreviations are not accepted.  The first argument that is not an
 * option ends them, and so does "--".
 */
#ifndef KH_CLI_OPTION_H
#define KH_CLI_OPTION_H

#include "base/error.h"

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

/* One option; exactly one of the pointers is set and says where its value is stored. */
struct kh_option {
	const char *name;  /* "--read" */
	const char *value; /* the name of the value in the help: "PATH"; NULL for a flag */
	const char *about;
	bool *flag;
	const char **text;
	struct kh_option_list *list;
	uint64_t *number;
	enum kh_option_unit unit;
};

/* Reads the options of ARGV from 1 on; *RET_NEXT is the index of the first argument that is not one.  KH_EINPUT,
 * code `bad_option`, if one is unknown, given twice, or its value is missing or not valid. */
enum kh_err kh_option_read(const struct kh_option *options, size_t count, int argc, char **argv, int *ret_next,
			   struct kh_error *err) KH_CHECKED;

/* Prints a line for each. */
void kh_option_print(const struct kh_option *options, size_t count, FILE *out);

#endif

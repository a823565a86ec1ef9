/*
 * Options of a command, by one table: the table reads them, and prints the help.
 *
 * A long option is "--name VALUE" or "--name=VALUE"; nothing is abbreviated.  What is not an option ends them, and so
 * does "--".
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
	KH_OPTION_WAIT,      /* the same, and 0 */
};

/* One option; exactly one of the pointers says where its value goes. */
struct kh_option {
	const char *name;  /* "--read" */
	const char *value; /* what the value is called in the help: "PATH"; NULL for a flag */
	const char *about;
	bool *flag;
	const char **text;
	struct kh_option_list *list;
	uint64_t *number;
	enum kh_option_unit unit;
};

/*
 * Reads the options of ARGV from 1 on; *RET_NEXT is the index of the first argument that is none.  KH_EINPUT, code
 * `bad_option`, where one is unknown, given twice, or its value is missing or not one.
 */
enum kh_err kh_option_read(const struct kh_option *options, size_t count, int argc, char **argv, int *ret_next,
			   struct kh_error *err) KH_CHECKED;

/* A line for each. */
void kh_option_print(const struct kh_option *options, size_t count, FILE *out);

#endif

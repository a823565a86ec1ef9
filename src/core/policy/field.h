/*
 * Macros for writing a table of keys, only for the files that have one (keys.c, sources.c, toolrule.c,
 * upstreams.c).  Each line of a table names
 * a member of the struct that it fills; the key has the same name.
 */
#ifndef KH_CORE_POLICY_FIELD_H
#define KH_CORE_POLICY_FIELD_H

#include "core/policy/schema.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define FIELD(S, member, what) .key = #member, .kind = KH_FIELD_##what, .offset = offsetof(struct S, member)
#define NUMBER(S, member, low, high)                                  \
	{                                                             \
		FIELD(S, member, NUMBER), .min = (low), .max = (high) \
	}
#define WORD(S, member, table)                            \
	{                                                 \
		FIELD(S, member, WORD), .words = &(table) \
	}
#define TEXT(S, member, need, low, high, test, text)                                                    \
	{                                                                                               \
		FIELD(S, member, TEXT), .needed = (need), .min = (low), .max = (high), .check = (test), \
					.expected = (text)                                              \
	}
#define TEXTS(S, member, need, high, test, text)                                                              \
	{                                                                                                     \
		FIELD(S, member, TEXTS), .needed = (need), .max = (high), .check = (test), .expected = (text) \
	}
#define TEXTS_SOME(S, member, need, high, test, text)                                                \
	{                                                                                            \
		FIELD(S, member, TEXTS), .needed = (need), .min = 1, .max = (high), .check = (test), \
					 .expected = (text)                                          \
	}
#define PAIRS(S, member, high, test_name, text_name, test, text)                                                 \
	{                                                                                                        \
		FIELD(S, member, PAIRS), .max = (high), .check_name = (test_name), .expected_name = (text_name), \
					 .check = (test), .expected = (text)                                     \
	}
#define WHOLE(S, member)                \
	{                               \
		FIELD(S, member, WHOLE) \
	}
#define WORDS(S, member, table)                            \
	{                                                  \
		FIELD(S, member, WORDS), .words = &(table) \
	}
#define RATE(S, member)                \
	{                              \
		FIELD(S, member, RATE) \
	}
#define MAP(S, member, inner)                            \
	{                                                \
		FIELD(S, member, MAP), .shape = &(inner) \
	}
#define LIST(S, member, high, inner)                                     \
	{                                                                \
		FIELD(S, member, LIST), .max = (high), .shape = &(inner) \
	}
#define FIELDS(table, S) .fields = (table), .count = COUNT(table), .size = sizeof(struct S)
#define SHAPE(table, S)                              \
	{                                            \
		FIELDS(table, S), .line = KH_NO_LINE \
	}
/* The same for a struct that keeps the line of the file, with its function `start`. */
#define LINED(table, S, begin)                                                       \
	{                                                                            \
		FIELDS(table, S), .line = offsetof(struct S, line), .start = (begin) \
	}

/* What was expected, for the message if a value does not fit. */
#define IS_NAME     "a name: a letter or _, then letters, digits, _ - . (64 at most)"
#define IS_PATH     "an absolute path without . or .. in it"
#define IS_KEY_FILE "an absolute path, or the name of a file in the home folder"
#define IS_ARGUMENT "an argument of at most 4096 bytes"
#define IS_FILE     "a path, absolute or in the home folder, without . or .. in it"
#define IS_VARIABLE "the name of a variable: letters, digits and _, and no digit first"

#endif

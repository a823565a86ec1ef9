/* Formats JSON from operations for people: a list of objects as columns, one object as lines.  A value is always one
 * line; terminal.c escapes the rest if it goes to a terminal. */
#ifndef KH_CLI_TABLE_H
#define KH_CLI_TABLE_H

#include "base/buf.h"
#include "base/json.h"

enum kh_table_kind {
	KH_TABLE_TEXT,   /* strings, numbers and booleans as they are */
	KH_TABLE_TIME,   /* microseconds since 1970, 0: "-"; or RFC 3339: to the second */
	KH_TABLE_BITS,   /* microbits */
	KH_TABLE_LENGTH, /* the number of items in an array */
};

/*
 * Columns are described in one text: "LABEL: member; LABEL: member kind; ...".  The label is the heading, or the text
 * before the value; blanks before its colon count.  The member may be a path: "budget.remaining".  The kind is time,
 * bits or length; none: text.
 */

/* True if one of COLUMNS shows MEMBER. */
bool kh_table_has(const char *columns, struct kh_view member);

/* Returns microbits as "12.5 bits": to a tenth, rounded down. */
struct kh_view kh_table_bits(struct kh_arena *arena, uint64_t microbits);

/* Returns the member at a path of names, or NULL. */
yyjson_val *kh_table_member(yyjson_val *object, struct kh_view path);

/* Returns a value as one line; "-" if it is missing, null or empty. */
struct kh_view kh_table_cell(struct kh_arena *arena, yyjson_val *value, enum kh_table_kind kind);

/* Writes a line for VALUE, which may be anything: a text as it is, other values as canonical JSON. */
void kh_table_line(struct kh_buf *buf, yyjson_val *value);

/* Writes LIST, an array of objects, with headings; a line NOTHING if it is empty. */
void kh_table_list(struct kh_buf *buf, yyjson_val *list, const char *columns, const char *nothing);

/* Writes "  keyhole COMMAND ID", a line for each id of IDS. */
void kh_table_commands(struct kh_buf *buf, yyjson_val *ids, const char *command);

/* Writes the commands by which a human decides APPROVAL; "then:" is the last line. */
void kh_table_decide(struct kh_buf *buf, struct kh_view approval);

/* Writes OBJECT, a line for each member that it has. */
void kh_table_object(struct kh_buf *buf, yyjson_val *object, const char *columns);

#endif

/*
 * Reads TOML as JSON: what a client's configuration in that language needs (Codex's config.toml).
 *
 * Tables, arrays of tables, dotted and quoted keys, strings of all four kinds, integers, truth values, arrays and inline
 * tables are read.  A fraction, a date, a time, and a number in another base become texts, as they are written.
 * Everything else is an error with its line.  Trusts nobody: input, depth and the number of values are bounded, and a key
 * that is there twice is an error.
 */
#ifndef KH_CLI_UPSTREAM_TOML_H
#define KH_CLI_UPSTREAM_TOML_H

#include "base/json.h"

#define KH_TOML_SIZE   (1U << 20) /* bytes */
#define KH_TOML_DEPTH  16
#define KH_TOML_VALUES 4096

/* KH_EINPUT, code `import_invalid`: the detail names the line, and what is wrong there.  The value is in the arena. */
enum kh_err kh_toml_read(struct kh_arena *arena, struct kh_view text, yyjson_val **ret_root,
			 struct kh_error *err) KH_CHECKED;

#endif

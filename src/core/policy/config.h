/*
 * keyhole.yaml, whole (SPEC I8): the policy, the Readers, and how the audit is kept.
 *
 * Every value has a default; an empty file is a usable configuration.  docs/POLICY.md says what the keys of `policy`
 * mean, docs/CONFIGURATION.md those of all others; tests hold both against the tables in keys.c.  A configuration never
 * changes after it was read.  The core opens no file and starts no program: that paths are there, and are what they
 * should be, is found out by whoever uses them.
 */
#ifndef KH_CORE_POLICY_CONFIG_H
#define KH_CORE_POLICY_CONFIG_H

#include "core/policy/policy.h"

#define KH_CONFIG_EXTRACT     "extract" /* the Reader that is always there */
#define KH_CONFIG_ARGUMENT    4096      /* bytes of one argument or path */
#define KH_CONFIG_ARGUMENTS   32768     /* bytes of all of a program's arguments and paths */
#define KH_CONFIG_READER_TIME 30        /* seconds for an answer, where it does not say */

enum kh_config_driver {
	KH_CONFIG_DRIVER_EXTRACT, /* built in: finds by rule */
	KH_CONFIG_DRIVER_COMMAND, /* a program, in a sandbox of its own for every query */
};
extern const struct kh_words kh_config_driver_words;

struct kh_config_reader {
	struct kh_view name; /* what a query's `target` says */
	enum kh_config_driver driver;
	struct kh_texts argv;     /* command: the first is an absolute path */
	struct kh_texts read;     /* command: absolute paths that it sees besides, read-only */
	uint64_t timeout_seconds; /* command */
	unsigned line;            /* of the file; 0: built in */
};

enum kh_config_switch { KH_CONFIG_FALSE, KH_CONFIG_TRUE };

struct kh_config_audit {
	struct kh_view witness_file; /* absolute path; empty: none */
	enum kh_config_switch witness_syslog;
	struct kh_texts witness_command;                /* argv, the first an absolute path; empty: none */
	uint64_t checkpoint_events, checkpoint_seconds; /* a checkpoint after so many, or so long, what is first */
	uint64_t retention_days;                        /* of raw responses and sealed content; 0: kept */
	unsigned line;                                  /* of `audit:`; 0: not there */
};

struct kh_config {
	struct kh_policy policy;
	struct kh_list readers; /* of struct kh_config_reader, in the file's order; `extract` is always among them */
	struct kh_config_audit audit;
};

/*
 * Reads a configuration: a YAML document whose top-level keys are `policy`, `readers` and `audit`.  FILE names it in
 * messages ("keyhole.yaml:12: ...").  KH_EINPUT with code `policy_invalid`: what is wrong, where, and what was
 * expected.  The configuration lives in the arena.
 */
enum kh_err kh_config_read(struct kh_arena *arena, struct kh_view text, struct kh_view file,
			   const struct kh_config **ret_config, struct kh_error *err)
	__attribute__((warn_unused_result));

/* The Reader of this name, or NULL. */
const struct kh_config_reader *kh_config_reader(const struct kh_config *config, struct kh_view name);

#endif

/*
 * From a server of a client's configuration to an entry of `upstreams`: its name, its program, which values are secrets
 * and go into files, and what of the file system its command line points to.
 */
#ifndef KH_CLI_UPSTREAM_PROPOSAL_H
#define KH_CLI_UPSTREAM_PROPOSAL_H

#include "cli/upstream/clientfile.h"
#include "cli/upstream/resolve.h"

#define KH_PROPOSAL_FOLDER "secrets" /* in the home folder */

/* A secret, and the file that it goes into. */
struct kh_proposal_secret {
	struct kh_view name;   /* of the variable or header */
	struct kh_view scheme; /* "Bearer", or empty */
	struct kh_view file;   /* "github.GITHUB_TOKEN", in KH_PROPOSAL_FOLDER */
	struct kh_view value;  /* empty: the client's file does not have it */
	struct kh_view from;   /* then where it comes from, for people */
};

struct kh_proposal_entry {
	struct kh_view name;                   /* as Keyhole has it */
	struct kh_view given;                  /* as the client's file has it */
	struct kh_texts command, read, grants; /* GRANTS: paths of its command line, to be checked by a human */
	struct kh_view program, url;
	struct kh_pairs values; /* variables, or headers, that are no secrets */
	struct kh_list secrets; /* of struct kh_proposal_secret */
	struct kh_texts strange;
	bool is_off, is_local;
	uint64_t timeout_seconds;
	struct kh_view problem; /* why it cannot be taken; empty: it can */
};

struct kh_proposal_options {
	struct kh_resolve_places places;
	bool keep_arguments; /* take arguments and URLs that look like secrets */
};

/* Makes the proposal for SERVER.  KH_ENOMEM alone is a failure; everything else is the proposal's `problem`. */
enum kh_err kh_proposal_make(struct kh_arena *arena, const struct kh_proposal_options *options,
			     const struct kh_clientfile_server *server,
			     struct kh_proposal_entry *ret_proposal) KH_CHECKED;

/* NAME as Keyhole can have it: small letters, digits and -; empty if nothing is left of it. */
struct kh_view kh_proposal_name(struct kh_arena *arena, struct kh_view name);

/*
 * The entry as YAML, from column 0 on: "- name: github\n  command: ...".  No secret is in it.  SOURCE names the file that
 * it comes from, in a comment; empty: none.
 */
enum kh_err kh_proposal_text(struct kh_arena *arena, const struct kh_proposal_entry *proposal, struct kh_view source,
			     struct kh_view *ret_text) KH_CHECKED;

#endif

/*
 * Patterns of a policy against names, hosts and paths.  Matching is exact except as each function says, and linear in
 * the input.
 */
#ifndef KH_CORE_POLICY_MATCH_H
#define KH_CORE_POLICY_MATCH_H

#include "base/view.h"

/* Matches a name against a glob: `*` stands for any number of any bytes, everything else for itself. */
bool kh_match_glob(struct kh_view pattern, struct kh_view name);

/*
 * Matches an argument against a pattern: `*` stands for letters, digits and . _ + - only, so that `*@example.com` is
 * one address and not two; `**` for any bytes.
 */
bool kh_match_value(struct kh_view pattern, struct kh_view value);

/*
 * Matches a host against `example.com` (that host alone) or `*.example.com` (every host below it, not example.com
 * itself).  ASCII letters match in either case; one trailing dot of the host is ignored.
 */
bool kh_match_host(struct kh_view pattern, struct kh_view host);

/* The same with a port: a pattern with a port matches only that port, one without matches every port. */
bool kh_match_host_port(struct kh_view pattern, struct kh_view host, int port);

/*
 * True if PATH is at or below ROOT, compared as text; both must be plain (see kh_match_is_path).  This checks the
 * policy only; the executor checks again against the file system.
 */
bool kh_match_path(struct kh_view root, struct kh_view path);

/* The syntax of each, for the schema. */
bool kh_match_is_glob(struct kh_view text);    /* 1-128 of letters, digits, _ - . and * */
bool kh_match_is_pattern(struct kh_view text); /* 1-256 bytes, for arguments */
bool kh_match_is_name(struct kh_view text);    /* [A-Za-z_][A-Za-z0-9_.-]{0,63} */
bool kh_match_is_host(struct kh_view text); /* labels of letters, digits and -; `*.` only before at least two labels */
bool kh_match_is_host_port(struct kh_view text); /* such a host, or one with :port */
bool kh_match_is_path(struct kh_view text);      /* absolute; no empty part, no `.` or `..`, no control characters */
bool kh_match_is_key_file(struct kh_view text);  /* an absolute path, or a file's name that does not begin with a dot */
bool kh_match_is_argument(struct kh_view text);  /* of a program: at most 4096 bytes */
bool kh_match_is_web(struct kh_view text);       /* a URL of https or http */
bool kh_match_is_variable(struct kh_view text);  /* of the environment: [A-Za-z_][A-Za-z0-9_]* */

#endif

/*
 * Self-lockdown of a gateway (or any other parent of an executor).  After it, the process keeps its open descriptors,
 * the folder of its store and new connections on its listening sockets, and nothing else: it can start no program, open
 * no other file, make no connection.
 */
#ifndef KH_SANDBOX_LOCKDOWN_H
#define KH_SANDBOX_LOCKDOWN_H

#include "base/error.h"

/*
 * FOLDER may be NULL: then no file can be opened at all.  To be called before there are threads.  KH_EREFUSED with code
 * `lockdown` and the part that is missing; then the caller must not continue.
 */
enum kh_err kh_lockdown(const char *folder, struct kh_error *err) KH_CHECKED;

/*
 * Another file or folder: readable or, with KEEPS, a folder whose files can be read, written and made, but not listed,
 * removed, renamed or cut off.  Refused if it does not exist.
 */
struct kh_lockdown_path {
	const char *path;
	bool keeps;
};

#define KH_LOCKDOWN_PATHS 8

/* The same with COUNT other paths beside FOLDER, KH_LOCKDOWN_PATHS at most: a configuration that is kept elsewhere, the
 * folder of a witness's file. */
enum kh_err kh_lockdown_beside(const char *folder, const struct kh_lockdown_path *others, size_t count,
			       struct kh_error *err) KH_CHECKED;

#endif

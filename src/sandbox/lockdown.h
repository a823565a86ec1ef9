/*
 * Self-lockdown of a gateway (or any parent of an executor): after it, the process has the descriptors that it has, the
 * folder of its store and new connections on its listening sockets, and nothing else: it starts no program, opens no
 * other file, makes no connection.
 */
#ifndef KH_SANDBOX_LOCKDOWN_H
#define KH_SANDBOX_LOCKDOWN_H

#include "base/error.h"

/*
 * FOLDER may be NULL: then no file can be opened at all.  To be called before there are threads.  KH_EREFUSED with code
 * `lockdown` and the part that is missing; the caller must not go on.
 */
enum kh_err kh_lockdown(const char *folder, struct kh_error *err) KH_CHECKED;

/* A file or folder besides: to be read, or (WRITES) changed too.  One that is not there is refused. */
struct kh_lockdown_path {
	const char *path;
	bool writes;
};

#define KH_LOCKDOWN_PATHS 8

/* The same with COUNT others beside FOLDER, KH_LOCKDOWN_PATHS at most: a configuration that is kept elsewhere, the file
 * of a witness. */
enum kh_err kh_lockdown_beside(const char *folder, const struct kh_lockdown_path *others, size_t count,
			       struct kh_error *err) KH_CHECKED;

#endif

/*
 * Self-lockdown of a gateway (or any parent of an executor): after it, the process has the descriptors that it has, the
 * folder of its store and new connections on its listening sockets, and nothing else: it starts no program, opens no
 * other file, makes no connection.
 */
#ifndef KH_EXEC_LOCKDOWN_H
#define KH_EXEC_LOCKDOWN_H

#include "base/error.h"

/*
 * FOLDER may be NULL: then no file can be opened at all.  To be called before there are threads.  KH_EREFUSED with code
 * `lockdown` and the part that is missing; the caller must not go on.
 */
enum kh_err kh_lockdown(const char *folder, struct kh_error *err) __attribute__((warn_unused_result));

#endif

/*
 * What the role that a PostgreSQL database is asked as may do besides reading: the last net under comm.query, looked at
 * by `keyhole doctor` (E9).  A statement runs in a read-only transaction; what that does not stop, only the rights of
 * the role do.
 */
#ifndef KH_ERRAND_RIGHTS_H
#define KH_ERRAND_RIGHTS_H

#include "errand/errand.h"

#define KH_RIGHTS_MOST 100

struct kh_rights_finding {
	struct kh_view means; /* a sentence: what the role may do; names of the database quoted */
	const char *to_do;    /* what to do about it */
	bool is_grave;        /* a read-only transaction does not stop it */
};

struct kh_rights {
	bool looked;        /* else: */
	struct kh_view why; /* our own sentence, with the database's words quoted */
	struct kh_rights_finding finding[KH_RIGHTS_MOST];
	size_t n;
};

/* Looks at the rights in DATABASE, one of the configuration's, or where that is a file whether it can be read.  Fails
 * for lack of memory alone. */
enum kh_err kh_rights_look(const struct kh_errand_tools *tools, const struct kh_config_database *database,
			   struct kh_arena *arena, struct kh_rights *ret_rights) KH_CHECKED;

#endif

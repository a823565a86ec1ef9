/*
 * What the role of a PostgreSQL database may do besides reading (E9).  This is the last line of defence of comm.query,
 * and `keyhole doctor` checks it.  A statement runs in a read-only transaction; only the rights of the role stop what
 * that does not.
 */
#ifndef KH_ERRAND_RIGHTS_H
#define KH_ERRAND_RIGHTS_H

#include "errand/errand.h"

#define KH_RIGHTS_MOST 100

struct kh_rights_finding {
	struct kh_view means; /* a sentence: what the role may do; names of the database are quoted */
	const char *to_do;    /* what to do about it */
	bool is_grave;        /* a read-only transaction does not stop it */
};

struct kh_rights {
	bool looked;        /* false: see why */
	struct kh_view why; /* our own sentence, with the database's text quoted */
	struct kh_rights_finding finding[KH_RIGHTS_MOST];
	size_t n;
};

/* Checks the rights in DATABASE, one of the configuration's; if it is a file, checks whether it can be read.  Fails
 * only for lack of memory. */
enum kh_err kh_rights_look(const struct kh_errand_tools *tools, const struct kh_config_database *database,
			   struct kh_arena *arena, struct kh_rights *ret_rights) KH_CHECKED;

#endif

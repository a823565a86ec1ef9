/*
 * One statement for one database: the JSON job of the worker `query`.
 *
 *     {"database":{"file":"/srv/crm.db"},"sql":"SELECT ...","params":[1,"x"],"rows":100,"bytes":65536,"seconds":10}
 *     {"database":{"host":"db.example.com","port":5432,"dbname":"crm","user":"agent","password":"...",
 *                  "authority":"/etc/keyhole/ca.pem","plain":false}, ...}
 *
 * The author of a job is trusted, but it is parsed strictly all the same.  The result is described in wire/sqlrows.h.
 */
#ifndef KH_WORKER_SQL_SQLJOB_H
#define KH_WORKER_SQL_SQLJOB_H

#include "base/json.h"

#define KH_SQLJOB_ROWS    1000000 /* the largest values that a job can ask for */
#define KH_SQLJOB_BYTES   (8U << 20)
#define KH_SQLJOB_SECONDS 300

struct kh_sqljob {
	struct kh_view file; /* SQLite: an absolute path; empty: PostgreSQL */
	struct kh_view host; /* a name, an address, or the folder of a Unix socket */
	uint64_t port;
	struct kh_view dbname, user, password;
	struct kh_view authority; /* a PEM file, or empty: the system's */
	bool plain;               /* no TLS */
	struct kh_view sql;
	yyjson_val *params; /* an array or an object of scalars, or NULL */
	size_t rows, bytes;
	uint64_t seconds;
};

/* Parses a job.  KH_EINPUT, code `job_refused`: what is wrong with which member. */
enum kh_err kh_sqljob_read(struct kh_arena *arena, yyjson_val *root, struct kh_sqljob *ret_job,
			   struct kh_error *err) KH_CHECKED;

/* A copy of V that ends in NUL, for interfaces that need one; NULL for lack of memory.  V itself holds no NUL. */
const char *kh_sqljob_text(struct kh_arena *arena, struct kh_view v);

/* The text of a scalar, as it is bound: {NULL, 0} for null. */
struct kh_view kh_sqljob_value(struct kh_arena *arena, yyjson_val *value);

#endif

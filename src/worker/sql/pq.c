/* The functions of libpq that are used. */
#include "worker/sql/pq.h"

#include "worker/library.h"

enum kh_err kh_pq_load(struct kh_pq *ret_pq, struct kh_error *err)
{
#define FUNCTION(name) {"PQ" #name, offsetof(struct kh_pq, name)},
	static const struct kh_library_symbol functions[] = {KH_PQ_FUNCTIONS(FUNCTION)};

	return KH_LIBRARY_LOAD("libpq.so.5", "libpq", ": PostgreSQL needs the package libpq5", functions, ret_pq, err);
}

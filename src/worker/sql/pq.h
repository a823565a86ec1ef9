/* libpq; only the worker that queries a PostgreSQL server loads it (library.h). */
#ifndef KH_WORKER_SQL_PQ_H
#define KH_WORKER_SQL_PQ_H

#include "base/error.h"

#include <libpq-fe.h>

/* Those that are used. */
/* clang-format off */
#define KH_PQ_FUNCTIONS(X) \
	X(connectStartParams) X(connectPoll) X(status) X(socket) X(errorMessage) X(finish)           \
	X(setNoticeProcessor) X(setnonblocking) X(sendQuery) X(sendQueryParams) X(setSingleRowMode)  \
	X(flush) X(consumeInput) X(isBusy) X(getResult) X(resultStatus) X(resultErrorField) X(clear) \
	X(ntuples) X(nfields) X(fname) X(ftype) X(getisnull) X(getvalue) X(getlength)
/* clang-format on */

struct kh_pq {
#define KH_MEMBER(name) __typeof__(PQ##name) *name; /* NOLINT(bugprone-macro-parentheses): it declares */
	KH_PQ_FUNCTIONS(KH_MEMBER)
#undef KH_MEMBER
};

/* KH_EREFUSED, code `libpq`, if the library is missing or too old. */
enum kh_err kh_pq_load(struct kh_pq *ret_pq, struct kh_error *err) KH_CHECKED;

#endif

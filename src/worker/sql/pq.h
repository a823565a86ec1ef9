/* libpq; only the worker that queries a PostgreSQL server loads it (library.h). */
#ifndef KH_WORKER_SQL_PQ_H
#define KH_WORKER_SQL_PQ_H

#include "base/error.h"

#include <libpq-fe.h>

struct kh_pq {
	__typeof__(PQconnectStartParams) *connectStartParams;
	__typeof__(PQconnectPoll) *connectPoll;
	__typeof__(PQstatus) *status;
	__typeof__(PQsocket) *socket;
	__typeof__(PQerrorMessage) *errorMessage;
	__typeof__(PQfinish) *finish;
	__typeof__(PQsetNoticeProcessor) *setNoticeProcessor;
	__typeof__(PQsetnonblocking) *setnonblocking;
	__typeof__(PQsendQuery) *sendQuery;
	__typeof__(PQsendQueryParams) *sendQueryParams;
	__typeof__(PQsetSingleRowMode) *setSingleRowMode;
	__typeof__(PQflush) *flush;
	__typeof__(PQconsumeInput) *consumeInput;
	__typeof__(PQisBusy) *isBusy;
	__typeof__(PQgetResult) *getResult;
	__typeof__(PQresultStatus) *resultStatus;
	__typeof__(PQresultErrorField) *resultErrorField;
	__typeof__(PQclear) *clear;
	__typeof__(PQntuples) *ntuples;
	__typeof__(PQnfields) *nfields;
	__typeof__(PQfname) *fname;
	__typeof__(PQftype) *ftype;
	__typeof__(PQgetisnull) *getisnull;
	__typeof__(PQgetvalue) *getvalue;
	__typeof__(PQgetlength) *getlength;
};

/* KH_EREFUSED, code `libpq`, if the library is missing or too old. */
enum kh_err kh_pq_load(struct kh_pq *ret_pq, struct kh_error *err) KH_CHECKED;

#endif

/*
 * comm.query {database, statement, params}: rows of a database (E9).
 *
 * `statement` is the name of one that the policy has for this database, else SQL where the policy allows free SQL.
 * `params` is bound: an array by place, an object by name (:name).
 *
 * The content is JSON Lines, which Readers of every kind take apart line by line: first what follows, then one object
 * for each row, with the columns as names (a name that stands twice has its place appended).
 *
 *     {"columns":["name","due"],"rows":2,"truncated":false}
 *     {"name":"Ada","due":"2026-12-01"}
 *     {"name":"Grace","due":null}
 *
 * Values are as in wire/sqlrows.h.  `truncated`: there was more than the caps of the database let through.
 */
#ifndef KH_ERRAND_QUERY_H
#define KH_ERRAND_QUERY_H

#include "errand/errand.h"

#endif

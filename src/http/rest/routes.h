/* The table of routes.  To add one, write the function that answers and its row; an answer of a new shape also needs its
 * schema in schemas.json. */
#ifndef KH_HTTP_REST_ROUTES_H
#define KH_HTTP_REST_ROUTES_H

#include "http/rest/call.h"

/* Rows without a function, which are served elsewhere, come last. */
const struct kh_rest_route *kh_rest_routes_all(size_t *ret_count);

#endif

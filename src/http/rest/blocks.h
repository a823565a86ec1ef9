/* Sealed content over HTTP: /tasks/{task}/blocks. */
#ifndef KH_HTTP_REST_BLOCKS_H
#define KH_HTTP_REST_BLOCKS_H

#include "http/rest/call.h"

const struct kh_rest_route *kh_rest_blocks_routes(size_t *ret_count);

#endif

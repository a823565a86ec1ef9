/* Sealed content over HTTP: /tasks/{task}/blocks. */
#ifndef KH_HTTP_REST_BLOCKS_H
#define KH_HTTP_REST_BLOCKS_H

#include "http/rest/call.h"

kh_rest_fn kh_rest_blocks_put, kh_rest_blocks_list;

#endif

/* Text in headers of MCP over HTTP: the newer generation repeats what a message is about there. */
#ifndef KH_UPSTREAM_WEBHEADER_H
#define KH_UPSTREAM_WEBHEADER_H

#include "base/arena.h"

/*
 * VALUE as the protocol has it in a header: visible ASCII as it is, any other text in base64.  Memory from ARENA, which
 * says if there was none.
 */
struct kh_view kh_webheader_value(struct kh_arena *arena, struct kh_view value);

#endif

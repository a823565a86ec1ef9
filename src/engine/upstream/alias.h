/*
 * The name that an upstream's tool has for Controllers (U5): its own, if that fits [A-Za-z0-9_-] and leaves room for the
 * server's name in front of it; else one that is made from it.
 */
#ifndef KH_ENGINE_UPSTREAM_ALIAS_H
#define KH_ENGINE_UPSTREAM_ALIAS_H

#include "base/canonical.h"

#define KH_ALIAS_MOST 64 /* bytes of <server>__<alias> */

/*
 * The name for tool NAME of SERVER, in the arena; {NULL, 0} if memory has run out.  Characters that do not fit become
 * `_`.  If that changed it, if it was cut, or if PLAIN is false (another tool has that name already), it ends with six
 * hexadecimal digits of the digest of NAME.
 */
struct kh_view kh_alias_make(struct kh_arena *arena, struct kh_view server, struct kh_view name, bool plain);

#endif

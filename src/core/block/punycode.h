/* Punycode (RFC 3492): what a label of a host name that begins with "xn--" stands for. */
#ifndef KH_CORE_BLOCK_PUNYCODE_H
#define KH_CORE_BLOCK_PUNYCODE_H

#include "base/view.h"

#define KH_PUNYCODE_MAX 63 /* characters of a label */

/* The characters of LABEL, which is without its "xn--"; how many, 0 where it is none. */
size_t kh_punycode_decode(struct kh_view label, uint32_t ret_chars[KH_PUNYCODE_MAX]);

#endif

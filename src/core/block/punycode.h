/* Punycode (RFC 3492): decodes labels of a host name that begin with "xn--". */
#ifndef KH_CORE_BLOCK_PUNYCODE_H
#define KH_CORE_BLOCK_PUNYCODE_H

#include "base/view.h"

#define KH_PUNYCODE_MAX 63 /* characters of a label */

/* Decodes LABEL, which is without its "xn--".  Returns the number of characters; 0 if it is not Punycode. */
size_t kh_punycode_decode(struct kh_view label, uint32_t ret_chars[KH_PUNYCODE_MAX]);

#endif

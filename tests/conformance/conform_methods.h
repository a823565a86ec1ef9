/* Keyhole's own methods, with the prompts and resources of the conformance suite in their answers (conform.h). */
#ifndef KH_TESTS_CONFORMANCE_CONFORM_METHODS_H
#define KH_TESTS_CONFORMANCE_CONFORM_METHODS_H

#include "mcp/offer.h"

#define KH_CONFORM_METHODS 16

/* Fills TABLE; how many there are. */
size_t kh_conform_methods_fill(struct kh_mcp_method table[KH_CONFORM_METHODS]);

#endif

/* The table of Keyhole's own operations: one row each, and one row of errand/errand.c that carries it out. */
#ifndef KH_CORE_COMM_OPERATIONS_H
#define KH_CORE_COMM_OPERATIONS_H

#include "core/comm/operation.h"

/* In the order of the documentation; the last stands for the tools of upstream servers. */
extern const struct kh_operations kh_operations_own;

#endif

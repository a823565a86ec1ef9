/* The table of Keyhole's own operations: one row each. errand/errand.c has one row for each that says how it is run. */
#ifndef KH_CORE_COMM_OPERATIONS_H
#define KH_CORE_COMM_OPERATIONS_H

#include "core/comm/operation.h"

/* In the order of the documentation; the last row is for the tools of upstream servers. */
extern const struct kh_operations kh_operations_own;

#endif

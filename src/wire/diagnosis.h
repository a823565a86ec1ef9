/*
 * One row of the output of `keyhole doctor`: a part of the sandbox that was tried, or something of the machine or of
 * the configuration that was checked.
 */
#ifndef KH_WIRE_DIAGNOSIS_H
#define KH_WIRE_DIAGNOSIS_H

#include "wire/part.h"

struct kh_diagnosis {
	const char *name; /* "user namespace", "idmapped mounts", ... */
	enum kh_part part;
	bool is_required; /* without it, its feature does not work; if false, it works with less */
	bool has;
	const char *without; /* what is lost without it */
	const char *remedy;  /* what to do about it */
	char detail[300];    /* "ABI 7", "unshare: Operation not permitted", ... */
};

#endif

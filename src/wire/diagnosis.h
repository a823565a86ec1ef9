/*
 * One row of what `keyhole doctor` says: a part of the sandbox that was tried, or something of the machine or of the
 * configuration that was looked at.
 */
#ifndef KH_WIRE_DIAGNOSIS_H
#define KH_WIRE_DIAGNOSIS_H

#include "wire/part.h"

struct kh_diagnosis {
	const char *name; /* "user namespace", "idmapped mounts", ... */
	enum kh_part part;
	bool is_required; /* without it what it is for does not work; else it works with less */
	bool has;
	const char *without; /* what its lack means */
	const char *remedy;  /* what to do about it */
	char detail[300];    /* "ABI 7", "unshare: Operation not permitted", ... */
};

#endif

/*
 * An https URL, strictly (RFC 3986): what a declaration may name as its source.  Two readers cannot differ on what is
 * accepted here: no user information, no backslash, no blanks or control characters, ASCII only, a host that is a DNS
 * name or an address in its usual form ("127.1" and "0x7f000001" are neither).
 */
#ifndef KH_CORE_COMM_URL_H
#define KH_CORE_COMM_URL_H

#include "base/error.h"

#define KH_URL_MAX 2048

struct kh_url {
	struct kh_view host; /* without brackets */
	struct kh_view rest; /* path, query and fragment; may be empty */
	int port;            /* 443 where none is given */
	bool is_address;     /* the host is an IPv4 or IPv6 address */
};

/* Borrows from TEXT.  KH_EINPUT with code `bad_url`, or KH_ELIMIT with `too_long`. */
enum kh_err kh_url_read(struct kh_view text, struct kh_url *ret_url, struct kh_error *err)
	__attribute__((warn_unused_result));

#endif

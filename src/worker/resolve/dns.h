/*
 * Questions to a name server and the reading of its answers: pure, strict, for the addresses of one name only.
 *
 * An answer is hostile input.  What does not answer exactly the question that was asked is foreign; what does and is
 * not well-formed has failed.  Names are compared in their wire form; pointers lead backwards only.
 */
#ifndef KH_WORKER_RESOLVE_DNS_H
#define KH_WORKER_RESOLVE_DNS_H

#include "wire/address.h"

#define KH_DNS_QUERY     300   /* bytes: the longest question, with its EDNS record */
#define KH_DNS_PACKET    65535 /* the longest answer */
#define KH_DNS_ADDRESSES 8     /* that are taken of one answer */

enum kh_dns_type {
	KH_DNS_A = 1,
	KH_DNS_AAAA = 28,
};

struct kh_dns_question {
	uint16_t id;
	enum kh_dns_type type;
	struct kh_view name; /* "www.example.com", no dot at its end */
};

enum kh_dns_verdict {
	KH_DNS_FOREIGN,   /* not an answer to this question: as if it had not come */
	KH_DNS_ANSWERED,  /* addresses, perhaps none: the name has none, or is not there */
	KH_DNS_TRUNCATED, /* ask again over TCP */
	KH_DNS_FAILED,    /* the server says that it cannot, or what it says is not well-formed */
};

/* Writes the packet that asks QUESTION; its length, or 0 if the name is none that can be asked for. */
size_t kh_dns_write(const struct kh_dns_question *question, unsigned char buffer[KH_DNS_QUERY]);

/*
 * Reads PACKET as the answer to QUESTION.  Follows the aliases within it, at most 8, and takes the addresses of the
 * last name alone.  RET_ADDRESSES has KH_DNS_ADDRESSES entries and is written, as RET_COUNT is, with KH_DNS_ANSWERED
 * only.
 */
enum kh_dns_verdict kh_dns_read(struct kh_view packet, const struct kh_dns_question *question,
				struct kh_address *ret_addresses, size_t *ret_count);

#endif

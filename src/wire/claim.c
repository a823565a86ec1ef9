/* The list of sentences that a worker may send. */
#include "wire/claim.h"

static const char *const claims[] = {
	"a response of another version",
	"more header bytes than the cap",
	"the server changed the protocol",
	"the body is longer than the cap",
	"more bytes came than the cap",
	"the response ended within its headers",
	"the connection was cut within the body",
	"libcurl does not take the request",
	"libcurl cannot begin",
	"the body of the request is too long, or did not come",
	"the file of authorities cannot be read",
	"not a request that is taken",
	"the name server could not answer",
	"no answer from the name server",
	"the socket to the name server is not usable",
	"a coding that was not asked for",
	"a header of the body's framing over several lines",
	"the server's certificate is not trusted, or of another name",
	"the TLS handshake failed",
	"there are no certificates of authorities to trust",
	"the wall clock ran out",
	"no memory is left",
	"not HTTP",
	"the server closed the connection without a response",
	"the body's coding is broken",
	"the response is not well-formed",
	"the server does not take the request",
	"the connection broke, or the response is not well-formed",
	"a header line is longer than the cap",
	"a Content-Length that is none",
	"more codings around one another than are taken off",
	"the body's coding was cut before its end",
	"the server redirects, and an upstream is not followed",
	"the body is neither JSON nor a stream of events",
	"a message longer than the cap",
	"a message that takes too much memory",
	"a message with more than 2097152 values",
	"an event longer than the cap",
	"the stream ended within an event",
	"the executor is gone",
};

const char *kh_claim_find(struct kh_view text)
{
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		if (kh_view_eq(text, kh_view_str(claims[i])))
			return claims[i];
	}
	return NULL;
}

bool kh_claim_may(enum kh_fault fault, bool headed)
{
	return (fault == KH_FAULT_NONE && headed) || fault == KH_FAULT_TLS || fault == KH_FAULT_HTTP ||
	       fault == KH_FAULT_HEADERS || fault == KH_FAULT_OUTPUT || fault == KH_FAULT_TIME ||
	       fault == KH_FAULT_URL || fault == KH_FAULT_REQUEST || fault == KH_FAULT_WORKER;
}

bool kh_claim_may_call(enum kh_fault fault, bool headed)
{
	return kh_claim_may(fault, headed) || fault == KH_FAULT_ADDRESS || fault == KH_FAULT_NAME ||
	       fault == KH_FAULT_CONNECT || fault == KH_FAULT_REDIRECTS || fault == KH_FAULT_BUSY ||
	       fault == KH_FAULT_SANDBOX || fault == KH_FAULT_INCOMPLETE;
}

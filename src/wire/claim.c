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
};

const char *kh_claim_find(struct kh_view text)
{
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		if (kh_view_eq(text, kh_view_str(claims[i])))
			return claims[i];
	}
	return NULL;
}

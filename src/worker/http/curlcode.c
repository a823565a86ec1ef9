/* Maps results of libcurl to our faults: one table.  Any other result counts as a fault of the server. */
#include "worker/http/curlcode.h"

#define TOO_LARGE 100 /* CURLE_TOO_LARGE, of libcurl 8.6 */

/* The library's sentences are constants; they are used if the table has none. */
static const struct {
	int code;
	enum kh_fault fault;
	const char *detail;
} faults[] = {
	{CURLE_OK, KH_FAULT_NONE, ""},
	{CURLE_PEER_FAILED_VERIFICATION, KH_FAULT_TLS, "the server's certificate is not trusted, or of another name"},
	{CURLE_SSL_CONNECT_ERROR, KH_FAULT_TLS, "the TLS handshake failed"},
	{CURLE_SSL_CERTPROBLEM, KH_FAULT_TLS, NULL},
	{CURLE_SSL_CIPHER, KH_FAULT_TLS, NULL},
	{CURLE_SSL_CACERT_BADFILE, KH_FAULT_TLS, "there are no certificates of authorities to trust"},
	{CURLE_SSL_ISSUER_ERROR, KH_FAULT_TLS, NULL},
	{CURLE_SSL_INVALIDCERTSTATUS, KH_FAULT_TLS, NULL},
	{CURLE_OPERATION_TIMEDOUT, KH_FAULT_TIME, "the wall clock ran out"},
	{CURLE_FILESIZE_EXCEEDED, KH_FAULT_OUTPUT, "the body is longer than the cap"},
	{CURLE_URL_MALFORMAT, KH_FAULT_URL, NULL},
	{CURLE_OUT_OF_MEMORY, KH_FAULT_WORKER, "no memory is left"},
	{CURLE_UNSUPPORTED_PROTOCOL, KH_FAULT_HTTP, "not HTTP"}, /* the scheme itself is always a supported one */
	{CURLE_GOT_NOTHING, KH_FAULT_HTTP, "the server closed the connection without a response"},
	{CURLE_PARTIAL_FILE, KH_FAULT_HTTP, "the connection was cut within the body"},
	{CURLE_BAD_CONTENT_ENCODING, KH_FAULT_HTTP, "the body's coding is broken"},
	{CURLE_WEIRD_SERVER_REPLY, KH_FAULT_HTTP, "the response is not well-formed"},
	{CURLE_SEND_ERROR, KH_FAULT_HTTP, "the server does not take the request"},
	{CURLE_RECV_ERROR, KH_FAULT_HTTP, "the connection broke, or the response is not well-formed"},
};

enum kh_fault kh_curlcode_fault(const struct kh_curl *curl, int code, bool in_head, const char **ret_detail)
{
	enum kh_fault fault = KH_FAULT_HTTP;
	const char *detail = NULL;

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (faults[i].code != code)
			continue;
		fault = faults[i].fault;
		detail = faults[i].detail;
	}
	/* libcurl's error, before 8.6 and since, for a header line that is longer than it accepts. */
	if (in_head && (code == CURLE_OUT_OF_MEMORY || code == TOO_LARGE)) {
		fault = KH_FAULT_HEADERS;
		detail = "a header line is longer than the cap";
	}
	*ret_detail = detail != NULL ? detail : curl->easy_strerror((CURLcode)code);
	return fault;
}

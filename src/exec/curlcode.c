/* What a result of libcurl is in our list of faults: one table.  What is not in it is a server that is not good. */
#include "exec/curlcode.h"

#define TOO_LARGE 100 /* CURLE_TOO_LARGE, of libcurl 8.6 */

static const struct {
	int code;
	enum kh_fault fault;
} faults[] = {
	{CURLE_OK, KH_FAULT_NONE},
	{CURLE_PEER_FAILED_VERIFICATION, KH_FAULT_TLS},
	{CURLE_SSL_CONNECT_ERROR, KH_FAULT_TLS},
	{CURLE_SSL_CERTPROBLEM, KH_FAULT_TLS},
	{CURLE_SSL_CIPHER, KH_FAULT_TLS},
	{CURLE_SSL_CACERT_BADFILE, KH_FAULT_TLS},
	{CURLE_SSL_ISSUER_ERROR, KH_FAULT_TLS},
	{CURLE_SSL_INVALIDCERTSTATUS, KH_FAULT_TLS},
	{CURLE_OPERATION_TIMEDOUT, KH_FAULT_TIME},
	{CURLE_FILESIZE_EXCEEDED, KH_FAULT_OUTPUT},
	{CURLE_URL_MALFORMAT, KH_FAULT_URL},
	{CURLE_OUT_OF_MEMORY, KH_FAULT_WORKER},
};

enum kh_fault kh_curlcode_fault(const struct kh_curl *curl, int code, bool has_head, const char **ret_detail)
{
	enum kh_fault fault = KH_FAULT_HTTP;

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		if (faults[i].code == code)
			fault = faults[i].fault;
	*ret_detail = curl->easy_strerror((CURLcode)code);
	/* How libcurl, before 8.6 and since, says that one line of headers is longer than any that it takes. */
	if (!has_head && (code == CURLE_OUT_OF_MEMORY || code == TOO_LARGE)) {
		fault = KH_FAULT_HEADERS;
		*ret_detail = "a header line is longer than the cap";
	}
	return fault;
}

/*
 * Takes the content codings off a body while it streams: gzip, deflate and brotli, at most two around one another.
 *
 * libcurl can do this too, but it does not tell whether the coding has come to its own end: a gzip body without its
 * trailer, or half of a brotli stream, would count as whole.  Trusts nobody: a server sent the bytes.  Memory is
 * bounded by the codings' windows.
 */
#ifndef KH_WORKER_HTTP_CODING_H
#define KH_WORKER_HTTP_CODING_H

#include "base/error.h"

#include <brotli/decode.h>
#include <zlib.h>

#define KH_CODING_LAYERS 2 /* each needs a window of its own in memory, up to 16 MiB */

enum kh_coding {
	KH_CODING_GZIP,
	KH_CODING_DEFLATE, /* with a header of zlib or, as some servers send it, without */
	KH_CODING_BROTLI,
};

/* The functions of zlib and libbrotlidec that are used. */
struct kh_coding_libraries {
	__typeof__(inflateInit2_) *inflate_init;
	__typeof__(inflate) *inflate;
	__typeof__(inflateReset) *inflate_reset;
	__typeof__(inflateEnd) *inflate_end;
	/* All NULL if the library is missing. */
	__typeof__(BrotliDecoderCreateInstance) *brotli_new;
	__typeof__(BrotliDecoderDecompressStream) *brotli_decode;
	__typeof__(BrotliDecoderDestroyInstance) *brotli_free;
};

/* KH_EREFUSED, code `zlib`, if that is missing.  libbrotlidec may be missing. */
enum kh_err kh_coding_load(struct kh_coding_libraries *ret_libraries, struct kh_error *err) KH_CHECKED;

enum kh_coding_result {
	KH_CODING_TAKEN = 0,
	KH_CODING_BROKEN,  /* the bytes are not of the coding, or more come after its end */
	KH_CODING_STOPPED, /* by the sink */
	KH_CODING_MEMORY,  /* no memory is left */
};

/* Takes decoded bytes; false stops. */
typedef bool kh_coding_sink(void *ctx, struct kh_view bytes);

struct kh_coding_layer {
	enum kh_coding coding;
	bool has_begun; /* the decoder exists */
	bool has_ended; /* the coding has come to its end */
	char first[2];  /* the first bytes of deflate, which tell its two forms apart */
	size_t firsts;
	z_stream zlib;
	BrotliDecoderState *brotli;
};

struct kh_coding_stack {
	const struct kh_coding_libraries *libraries;
	kh_coding_sink *sink;
	void *ctx;
	struct kh_coding_layer layer[KH_CODING_LAYERS]; /* the outermost first */
	size_t layers;
	bool has_any; /* a byte has come */
};

/* CODINGS in the order in which they were put on, at most KH_CODING_LAYERS; without one, bytes pass as they are. */
void kh_coding_init(struct kh_coding_stack *decode, const struct kh_coding_libraries *libraries,
		    const enum kh_coding *codings, size_t count, kh_coding_sink *sink, void *ctx);
void kh_coding_done(struct kh_coding_stack *decode);

/* Decodes BYTES and hands what comes out to the sink. */
enum kh_coding_result kh_coding_push(struct kh_coding_stack *decode, struct kh_view bytes) KH_CHECKED;

/* True if every coding has come to its end, or there was no body at all. */
bool kh_coding_is_whole(const struct kh_coding_stack *decode);

#endif

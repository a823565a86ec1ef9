/* Content codings, one layer's output the next one's input.  See coding.h. */
#include "worker/http/coding.h"

#include "worker/library.h"

#define PIECE       16384
#define WINDOW_BITS 15
#define GZIP_ONLY   16 /* added to the bits of the window */

enum kh_err kh_coding_load(struct kh_coding_libraries *ret_libraries, struct kh_error *err)
{
#define AT(member) offsetof(struct kh_coding_libraries, member)
	static const struct kh_library_symbol of_zlib[] = {{"inflateInit2_", AT(inflate_init)},
							   {"inflate", AT(inflate)},
							   {"inflateReset", AT(inflate_reset)},
							   {"inflateEnd", AT(inflate_end)}};
	static const struct kh_library_symbol of_brotli[] = {{"BrotliDecoderCreateInstance", AT(brotli_new)},
							     {"BrotliDecoderDecompressStream", AT(brotli_decode)},
							     {"BrotliDecoderDestroyInstance", AT(brotli_free)}};
#undef AT
	enum kh_err e = KH_LIBRARY_LOAD("libz.so.1", "zlib", "", of_zlib, ret_libraries, err);

	/* Without brotli it is not asked for. */
	if (e == KH_OK && KH_LIBRARY_LOAD("libbrotlidec.so.1", "zlib", "", of_brotli, ret_libraries, NULL) != KH_OK)
		ret_libraries->brotli_new = NULL;
	return e;
}

void kh_coding_init(struct kh_coding_stack *decode, const struct kh_coding_libraries *libraries,
		    const enum kh_coding *codings, size_t count, kh_coding_sink *sink, void *ctx)
{
	*decode = (struct kh_coding_stack){.libraries = libraries, .sink = sink, .ctx = ctx, .layers = count};
	for (size_t i = 0; i < count; i++)
		decode->layer[i].coding = codings[count - 1 - i];
}

void kh_coding_done(struct kh_coding_stack *decode)
{
	for (size_t i = 0; i < decode->layers; i++) {
		struct kh_coding_layer *layer = &decode->layer[i];
		if (layer->has_begun && layer->coding == KH_CODING_BROTLI)
			decode->libraries->brotli_free(layer->brotli);
		else if (layer->has_begun)
			decode->libraries->inflate_end(&layer->zlib);
		layer->has_begun = false;
	}
}

static enum kh_coding_result begin_zlib(struct kh_coding_stack *decode, struct kh_coding_layer *layer, int bits)
{
	int r = decode->libraries->inflate_init(&layer->zlib, bits, ZLIB_VERSION, (int)sizeof(layer->zlib));

	layer->has_begun = r == Z_OK;
	return r == Z_OK ? KH_CODING_TAKEN : KH_CODING_MEMORY;
}

/* True if the two bytes are a header of zlib: the method is deflate, and the check is right. */
static bool is_zlib(const char first[2])
{
	unsigned a = (unsigned char)first[0], b = (unsigned char)first[1];

	return (a & 15) == Z_DEFLATED && (a * 256 + b) % 31 == 0;
}

static enum kh_coding_result begin(struct kh_coding_stack *decode, struct kh_coding_layer *layer)
{
	if (layer->coding != KH_CODING_BROTLI)
		return begin_zlib(decode, layer,
				  layer->coding == KH_CODING_GZIP ? WINDOW_BITS + GZIP_ONLY
				  : is_zlib(layer->first)         ? WINDOW_BITS
								  : -WINDOW_BITS);
	if (decode->libraries->brotli_new == NULL)
		return KH_CODING_BROKEN; /* it was not asked for */
	layer->brotli = decode->libraries->brotli_new(NULL, NULL, NULL);
	layer->has_begun = layer->brotli != NULL;
	return layer->has_begun ? KH_CODING_TAKEN : KH_CODING_MEMORY;
}

static enum kh_coding_result push(struct kh_coding_stack *decode, size_t at, struct kh_view bytes);

/* One step of zlib from *REST into OUT. */
static enum kh_coding_result inflate_some(struct kh_coding_stack *decode, struct kh_coding_layer *layer,
					  struct kh_view *rest, char *out, size_t *ret_n)
{
	z_stream *zlib = &layer->zlib;
	/* zlib only reads it, but its struct has no const everywhere. */
	union {
		const char *in;
		Bytef *out;
	} bytes = {.in = rest->p};

	/* A gzip body may be of several members, one behind the other. */
	if (layer->has_ended && layer->coding == KH_CODING_GZIP && decode->libraries->inflate_reset(zlib) == Z_OK)
		layer->has_ended = false;
	if (layer->has_ended)
		return KH_CODING_BROKEN;
	zlib->next_in = bytes.out;
	zlib->avail_in = (uInt)rest->n;
	zlib->next_out = (Bytef *)out;
	zlib->avail_out = PIECE;
	int r = decode->libraries->inflate(zlib, Z_SYNC_FLUSH);
	*rest = kh_view_from(*rest, rest->n - zlib->avail_in);
	*ret_n = PIECE - zlib->avail_out;
	layer->has_ended = r == Z_STREAM_END;
	if (r == Z_MEM_ERROR)
		return KH_CODING_MEMORY;
	return r == Z_OK || r == Z_STREAM_END || r == Z_BUF_ERROR ? KH_CODING_TAKEN : KH_CODING_BROKEN;
}

static enum kh_coding_result unbrotli_some(struct kh_coding_stack *decode, struct kh_coding_layer *layer,
					   struct kh_view *rest, char *out, size_t *ret_n)
{
	const uint8_t *in = (const uint8_t *)rest->p;
	uint8_t *next = (uint8_t *)out;
	size_t left = rest->n, room = PIECE;

	if (layer->has_ended)
		return KH_CODING_BROKEN;
	BrotliDecoderResult r = decode->libraries->brotli_decode(layer->brotli, &left, &in, &room, &next, NULL);
	*rest = kh_view_from(*rest, rest->n - left);
	*ret_n = PIECE - room;
	layer->has_ended = r == BROTLI_DECODER_RESULT_SUCCESS;
	return r == BROTLI_DECODER_RESULT_ERROR ? KH_CODING_BROKEN : KH_CODING_TAKEN;
}

/* Decodes all of BYTES by layer AT.  As long as a whole piece comes out there may be more. */
static enum kh_coding_result run_layer(struct kh_coding_stack *decode, size_t at, struct kh_view bytes)
{
	struct kh_coding_layer *layer = &decode->layer[at];
	enum kh_coding_result result = layer->has_begun ? KH_CODING_TAKEN : begin(decode, layer);
	char out[PIECE];
	size_t n = 0;

	while (result == KH_CODING_TAKEN && (bytes.n > 0 || (n == PIECE && !layer->has_ended))) {
		size_t before = bytes.n;
		n = 0;
		result = layer->coding == KH_CODING_BROTLI ? unbrotli_some(decode, layer, &bytes, out, &n)
							   : inflate_some(decode, layer, &bytes, out, &n);
		if (n > 0) {
			enum kh_coding_result next = push(decode, at + 1, kh_view_of(out, n));
			result = next != KH_CODING_TAKEN ? next : result;
		} else if (before > 0 && bytes.n == before) {
			return KH_CODING_BROKEN; /* it takes nothing and gives nothing */
		}
	}
	return result;
}

/* Hands BYTES to layer AT, or to the sink behind the last one. */
static enum kh_coding_result push(struct kh_coding_stack *decode, size_t at, struct kh_view bytes)
{
	struct kh_coding_layer *layer = &decode->layer[at < decode->layers ? at : 0];

	if (at == decode->layers)
		return decode->sink(decode->ctx, bytes) ? KH_CODING_TAKEN : KH_CODING_STOPPED;
	if (layer->coding != KH_CODING_DEFLATE || layer->has_begun)
		return run_layer(decode, at, bytes);
	while (layer->firsts < sizeof(layer->first) && bytes.n > 0) {
		layer->first[layer->firsts++] = bytes.p[0];
		bytes = kh_view_from(bytes, 1);
	}
	if (layer->firsts < sizeof(layer->first))
		return KH_CODING_TAKEN;
	enum kh_coding_result result = run_layer(decode, at, kh_view_of(layer->first, sizeof(layer->first)));
	return result == KH_CODING_TAKEN ? run_layer(decode, at, bytes) : result;
}

enum kh_coding_result kh_coding_push(struct kh_coding_stack *decode, struct kh_view bytes)
{
	decode->has_any |= bytes.n > 0;
	return bytes.n > 0 ? push(decode, 0, bytes) : KH_CODING_TAKEN;
}

bool kh_coding_is_whole(const struct kh_coding_stack *decode)
{
	for (size_t i = 0; i < decode->layers && decode->has_any; i++)
		if (!decode->layer[i].has_ended)
			return false;
	return true;
}

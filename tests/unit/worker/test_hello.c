/* U2: the name in a ClientHello is found for what it is, and nothing that hides or doubles it passes. */
#include "worker/sni/hello.h"

#include "harness.h"

#include "worker/sni/sni.h"

#include <stdlib.h>
#include <unistd.h>

#define NAME KH_LIT("api.example")

struct bytes {
	char p[2000];
	size_t n;
};

static void add(struct bytes *to, const void *bytes, size_t n)
{
	memcpy(to->p + to->n, bytes, n);
	to->n += n;
}

static void add_number(struct bytes *to, size_t size, size_t number)
{
	for (size_t i = size; i-- > 0;)
		to->p[to->n++] = (char)(number >> (8 * i));
}

static void add_vector(struct bytes *to, size_t size, const void *bytes, size_t n)
{
	add_number(to, size, n);
	add(to, bytes, n);
}

static void add_extension(struct bytes *to, size_t type, const struct bytes *value)
{
	add_number(to, 2, type);
	add_vector(to, 2, value->p, value->n);
}

static void add_name(struct bytes *extensions, const char *name, size_t type)
{
	struct bytes one = {.n = 0}, list = {.n = 0};

	add_number(&one, 1, type);
	add_vector(&one, 2, name, strlen(name));
	add_vector(&list, 2, one.p, one.n);
	add_extension(extensions, 0, &list);
}

/* A record with a ClientHello that has EXTENSIONS; NULL: none at all. */
static void make(const struct bytes *extensions, struct bytes *ret_record)
{
	struct bytes body = {.n = 0}, message = {.n = 0};
	const char random[32] = "";

	add_number(&body, 2, 0x303);
	add(&body, random, sizeof(random));
	add_vector(&body, 1, random, 32);
	add_vector(&body, 2, "\x13\x01\x13\x02", 4);
	add_vector(&body, 1, "", 1);
	if (extensions != NULL)
		add_vector(&body, 2, extensions->p, extensions->n);
	add_number(&message, 1, 1);
	add_vector(&message, 3, body.p, body.n);
	ret_record->n = 0;
	add_number(ret_record, 1, 22);
	add_number(ret_record, 2, 0x301);
	add_vector(ret_record, 2, message.p, message.n);
}

static enum kh_greeting judge(const struct bytes *extensions)
{
	struct bytes record;

	make(extensions, &record);
	return kh_hello_judge(kh_view_of(record.p, record.n), NAME);
}

static void test_names(struct kh_test *t)
{
	static const struct {
		const char *name;
		enum kh_greeting greeting;
	} all[] = {
		{"api.example", KH_GREETING_MATCHES},
		{"API.Example", KH_GREETING_MATCHES},
		{"api.example.", KH_GREETING_OTHER},
		{"xapi.example", KH_GREETING_OTHER},
		{"api.example.org", KH_GREETING_OTHER},
		{"a", KH_GREETING_OTHER},
		{"", KH_GREETING_OTHER},
	};
	(void)t;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct bytes extensions = {.n = 0};
		add_name(&extensions, all[i].name, 0);
		assert_int_equal(judge(&extensions), all[i].greeting);
	}
	assert_int_equal(judge(NULL), KH_GREETING_OTHER);
	assert_int_equal(judge(&(struct bytes){.n = 0}), KH_GREETING_OTHER);
}

static void test_tricks(struct kh_test *t)
{
	static const size_t hidden[] = {0xfe0d, 0xfe09, 0xffce};
	struct bytes extensions = {.n = 0};
	(void)t;

	add_name(&extensions, "api.example", 0);
	add_name(&extensions, "other.example", 0);
	assert_int_equal(judge(&extensions), KH_GREETING_OTHER);
	extensions.n = 0;
	add_name(&extensions, "api.example", 1); /* a type of name that there is not */
	assert_int_equal(judge(&extensions), KH_GREETING_OTHER);
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		extensions.n = 0;
		add_name(&extensions, "api.example", 0);
		add_extension(&extensions, hidden[i], &(struct bytes){.p = "x", .n = 1});
		assert_int_equal(judge(&extensions), KH_GREETING_ECH);
	}
	/* Two names in one list. */
	struct bytes list = {.n = 0}, both = {.n = 0};
	for (int i = 0; i < 2; i++) {
		add_number(&list, 1, 0);
		add_vector(&list, 2, "api.example", 11);
	}
	add_vector(&both, 2, list.p, list.n);
	extensions.n = 0;
	add_extension(&extensions, 0, &both);
	assert_int_equal(judge(&extensions), KH_GREETING_OTHER);
}

/* Every cut, and every byte changed: only what is a whole ClientHello for the name matches. */
static void test_hostile_bytes(struct kh_test *t)
{
	struct bytes extensions = {.n = 0}, record;
	size_t matches = 0;
	(void)t;

	add_extension(&extensions, 0x2b, &(struct bytes){.p = "\x02\x03\x04", .n = 3});
	add_name(&extensions, "api.example", 0);
	make(&extensions, &record);
	for (size_t n = 0; n < record.n; n++) {
		char *cut = malloc(n > 0 ? n : 1); /* so that reading past N is seen */
		memcpy(cut, record.p, n);
		/* What begins as TLS does is refused on every port. */
		assert_int_equal(kh_hello_judge(kh_view_of(cut, n), NAME),
				 n < 3 ? KH_GREETING_NOT_TLS : KH_GREETING_OTHER);
		free(cut);
	}
	for (size_t at = 0; at < record.n; at++) {
		for (int value = 0; value < 256; value += 17) {
			struct bytes changed = record;
			changed.p[at] = (char)value;
			matches += kh_hello_judge(kh_view_of(changed.p, changed.n), NAME) == KH_GREETING_MATCHES;
		}
	}
	assert_true(matches > 0);
	record.p[record.n++] = 'x'; /* and nothing may follow */
	assert_int_equal(kh_hello_judge(kh_view_of(record.p, record.n), NAME), KH_GREETING_OTHER);
}

/* The worker: one message in, one out. */
static void test_worker(struct kh_test *t)
{
	struct kh_worker worker = {.state = KH_STATE_WORKER_SNI};
	enum kh_message_state state = KH_STATE_JUDGING;
	struct bytes extensions = {.n = 0}, record;
	char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;
	struct kh_message message;
	int ends[2];
	(void)t;

	assert_int_equal(kh_channel_pair(ends, NULL), KH_OK);
	worker.channel = ends[1];
	add_name(&extensions, "other.example", 0);
	make(&extensions, &record);
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_GREETING);
	kh_message_text(&out, KH_FIELD_NAME, NAME);
	kh_message_text(&out, KH_FIELD_FIRST, kh_view_of(record.p, record.n));
	assert_int_equal(kh_channel_say(ends[0], &out, NULL, 0), KH_IO_DONE);
	assert_int_equal(kh_worker_sni_serve(&worker), 0);
	assert_int_equal(kh_channel_hear(ends[0], buffer, &state, 1000, &message, NULL), KH_IO_DONE);
	assert_int_equal(message.number[KH_FIELD_VERDICT], KH_GREETING_OTHER);
	close(ends[0]);
	worker.state = KH_STATE_WORKER_SNI;
	assert_int_equal(kh_worker_sni_serve(&worker), 1); /* nobody asks */
	close(ends[1]);
}

static void test_about(struct kh_test *t)
{
	(void)t;
	for (enum kh_greeting i = 0; i < KH_GREETINGS; i++)
		assert_true(strlen(kh_greeting_about(i)) > 10);
	assert_string_equal(kh_greeting_about(KH_GREETINGS), "unknown");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_names),  KH_TEST_ONCE(test_tricks), KH_TEST_ONCE(test_hostile_bytes),
	KH_TEST_ONCE(test_worker), KH_TEST_ONCE(test_about),
};

KH_TEST_MAIN(cases)

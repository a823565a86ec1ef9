/* E7: every message of the protocol, and everything that is none. */
#include "wire.h"

static void check_value(const struct kh_message *message, const struct field *f)
{
	struct kh_view item;
	size_t cursor = 0;

	assert_true(message->has[f->tag]);
	if (f->kind == NUMBER) {
		assert_int_equal(message->number[f->tag], f->most < 9 ? 1 : 9);
		return;
	}
	bool list = f->kind == LIST || f->kind == ADDRESS;
	assert_int_equal(kh_message_count(message, f->tag), list ? 2 : 1);
	assert_true(kh_message_item(message, f->tag, &cursor, &item));
	assert_true(kh_view_eq(item, message->text[f->tag]));
	assert_int_equal(item.n, f->kind == ADDRESS ? 4 : 3);
	assert_memory_equal(item.p, filling(), item.n);
	assert_int_equal(kh_message_item(message, f->tag, &cursor, &item), list);
	if (list)
		assert_int_equal(item.n, f->kind == ADDRESS ? 16 : 2);
}

/* Every type with every field: what was put in comes out, and the tables of the test and of the source agree. */
static void test_round_trip(struct kh_test *t)
{
	assert_int_equal(TYPES, KH_MESSAGE_TYPES - 1);
	for (const struct type *type = types; type < types + TYPES; type++) {
		struct kh_message message;
		enum kh_message_state state = type->state;
		size_t known = 0;

		put_all(type);
		put32(4, raw.n - KH_MESSAGE_HEADER);
		struct kh_view packet = kh_view_of((char *)raw.p, raw.n);
		must(t, kh_message_read(packet, type->fds, &state, &message, &t->err));
		assert_int_equal(message.type, type->type);
		assert_string_equal(kh_message_name(message.type), type->name);
		for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++, known++)
			check_value(&message, f);
		for (enum kh_message_field tag = 0; tag < KH_FIELDS; tag++)
			known -= message.has[tag];
		assert_int_equal(known, 0);
		assert_int_equal(message.bulk.n, type->bulk ? 6 : 0);
		if (type->bulk)
			assert_memory_equal(message.bulk.p, "a\0bulk", 6);
		assert_canonical(packet, type->fds, type->state);
	}
	assert_string_equal(kh_message_name(KH_MESSAGE_NONE), "NONE");
	assert_string_equal(kh_message_name(KH_MESSAGE_TYPES), "NONE");
}

/* Required fields are enough, and each of them is needed. */
static void test_required(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		if (type->bulk)
			continue;
		begin(type->type);
		put_fields(type, false);
		assert_taken(type);
		for (const struct field *missing = type->fields; missing->kind != END_OF_LIST; missing++) {
			begin(type->type);
			for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++)
				if (f != missing)
					put_good(f, 3);
			if (missing->required)
				assert_refused(type, "message_field");
			else
				assert_taken(type);
		}
	}
}

static void test_wrong_version_type_size(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		for (unsigned value = 0; value < 256; value++) {
			put_all(type);
			raw.p[0] = (unsigned char)value;
			if (value != KH_MESSAGE_VERSION)
				assert_refused(type, "message_version");
			put_all(type);
			raw.p[1] = (unsigned char)value;
			if (value == 0 || value >= KH_MESSAGE_TYPES)
				assert_refused(type, "message_type");
		}
		for (size_t zero = 2; zero < 4; zero++) {
			put_all(type);
			raw.p[zero] = 1;
			assert_refused(type, "message_size");
		}
	}
}

/* A length that is not that of the bytes, one more or one less or far away, is refused. */
static void test_wrong_length(struct kh_test *t)
{
	static const size_t wrong[] = {1, (size_t)-1, 0x100, 0x10000, 0x1000000, 0x80000000};

	for (const struct type *type = types; type < types + TYPES; type++) {
		for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
			enum kh_message_state state = type->state;
			struct kh_message message;
			put_all(type);
			put32(4, raw.n - KH_MESSAGE_HEADER + wrong[i]);
			must_fail(t, KH_EINPUT, read_copy(raw.p, raw.n, type->fds, &state, &message, &t->err));
			assert_string_equal(t->err.code, "message_size");
		}
	}
}

/* Cut at every byte: as it is always refused; with its length made right it is refused, or whole in itself. */
static void test_truncated(struct kh_test *t)
{
	for (const struct type *type = types; type < types + TYPES; type++) {
		put_all(type);
		put32(4, raw.n - KH_MESSAGE_HEADER);
		size_t whole = raw.n;
		for (size_t n = 0; n < whole; n++) {
			enum kh_message_state state = type->state;
			struct kh_message message;
			raw.n = n;
			must_fail(t, KH_EINPUT, read_copy(raw.p, n, type->fds, &state, &message, &t->err));
			assert_string_equal(t->err.code, "message_size");
		}
		for (size_t n = KH_MESSAGE_HEADER; n < whole; n++) {
			put_all(type);
			raw.n = n;
			if (refusal(type) == NULL)
				assert_canonical(kh_view_of((char *)raw.p, n), type->fds, type->state);
		}
	}
}

/* One bit flipped, each in turn: refused, or another message that is whole in itself. */
static void test_flipped(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		put_all(type);
		put32(4, raw.n - KH_MESSAGE_HEADER);
		for (size_t bit = 0; bit < raw.n * 8; bit++) {
			enum kh_message_state state = type->state;
			struct kh_message message;
			raw.p[bit / 8] ^= (unsigned char)(1U << (bit % 8));
			if (read_copy(raw.p, raw.n, type->fds, &state, &message, NULL) == KH_OK)
				assert_canonical(kh_view_of((char *)raw.p, raw.n), type->fds, type->state);
			raw.p[bit / 8] ^= (unsigned char)(1U << (bit % 8));
		}
		assert_taken(type);
	}
}

/* Every state and every type: exactly the steps of the list, and the state that follows. */
static void test_states(struct kh_test *t)
{
	for (enum kh_message_state from = 0; from < KH_STATES; from++) {
		for (const struct type *type = types; type < types + TYPES; type++) {
			enum kh_message_state state = from, next = KH_STATES;
			struct kh_message message;
			for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
				if (steps[i].state == from && steps[i].type == type->type)
					next = steps[i].next;
			put_all(type);
			put32(4, raw.n - KH_MESSAGE_HEADER);
			enum kh_err e = read_copy(raw.p, raw.n, type->fds, &state, &message, &t->err);
			assert_int_equal(e, next == KH_STATES ? KH_EINPUT : KH_OK);
			assert_int_equal(state, next == KH_STATES ? from : next);
			assert_int_equal(kh_message_permitted(from, type->type), next != KH_STATES);
			if (e != KH_OK)
				assert_string_equal(t->err.code, "message_type");
		}
		assert_false(kh_message_permitted(from, KH_MESSAGE_NONE));
		assert_false(kh_message_permitted(from, KH_MESSAGE_TYPES));
	}
}

static void test_descriptors(struct kh_test *t)
{
	for (const struct type *type = types; type < types + TYPES; type++) {
		put_all(type);
		put32(4, raw.n - KH_MESSAGE_HEADER);
		for (size_t fds = 0; fds <= KH_MESSAGE_FDS + 1; fds++) {
			enum kh_message_state state = type->state;
			struct kh_message message;
			bool good = fds >= type->fds && fds <= type->more_fds;
			enum kh_err e = read_copy(raw.p, raw.n, fds, &state, &message, &t->err);
			assert_int_equal(e, good ? KH_OK : KH_EINPUT);
			if (!good)
				assert_string_equal(t->err.code, "message_fds");
		}
	}
}

/* A tag that the type does not have, wherever it stands: also tags that no type has. */
static void test_foreign_fields(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		if (type->bulk)
			continue;
		for (unsigned tag = 0; tag < 256; tag++) {
			const struct field *f = type->fields;
			bool known = false;
			for (; f->kind != END_OF_LIST; f++)
				known = known || f->tag == tag;
			if (known)
				continue;
			begin(type->type);
			for (f = type->fields; f->kind != END_OF_LIST && f->tag < tag; f++)
				put_good(f, 3);
			put_number(tag, 1);
			for (; f->kind != END_OF_LIST; f++)
				put_good(f, 3);
			assert_refused(type, "message_field");
		}
	}
}

/* Each pair of neighbours the wrong way round, and each single field twice. */
static void test_order_and_duplicates(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		for (const struct field *odd = type->fields; odd->kind != END_OF_LIST; odd++) {
			if (odd[1].kind != END_OF_LIST) {
				begin(type->type);
				for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++)
					put_good(f == odd ? f + 1 : f == odd + 1 ? f - 1 : f, 3);
				assert_refused(type, "message_field");
			}
			begin(type->type);
			for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
				put_good(f, 3);
				if (f == odd)
					put_good(f, 3);
			}
			if (odd->items == 1)
				assert_refused(type, "message_field");
			else
				assert_taken(type);
		}
	}
}

/* The message of TYPE with FIELD alone (and what is required), N bytes long. */
static void put_only(const struct type *type, const struct field *field, const void *bytes, size_t n, size_t times)
{
	begin(type->type);
	for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
		for (size_t i = 0; f == field && i < times; i++)
			put(f->tag, bytes, n);
		if (f != field && f->required)
			put_good(f, 3);
	}
}

/* Texts up to their longest and no longer; numbers up to their largest and only in 8 bytes. */
static void test_longest(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
			if (f->kind == NUMBER) {
				for (size_t n = 0; n < 20; n++) {
					put_only(type, f, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", n, 1);
					if (n == 8)
						assert_taken(type);
					else
						assert_refused(type, "message_field");
				}
				for (int past = 0; past <= (f->most < ANY ? 1 : 0); past++) {
					uint64_t value = f->most + (uint64_t)past;
					put_only(type, f, &value, 8, 1);
					if (past)
						assert_refused(type, "message_field");
					else
						assert_taken(type);
				}
				continue;
			}
			put_only(type, f, filling(), f->most, 1);
			assert_taken(type);
			put_only(type, f, filling(), f->most + 1, 1);
			assert_refused(type, "message_field");
			put_only(type, f, "", 0, 1);
			if (f->kind == LIST)
				assert_taken(type);
			else
				assert_refused(type, "message_field");
		}
	}
}

static void test_items(struct kh_test *t)
{
	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
			if (f->kind != LIST && f->kind != ADDRESS)
				continue;
			put_only(type, f, "abcd", 4, f->items);
			assert_taken(type);
			put_only(type, f, "abcd", 4, f->items + 1);
			assert_refused(type, "message_field");
		}
	}
}

/* What stands in a text: no NUL, and in a detail nothing that a terminal would act on. */
static void test_characters(struct kh_test *t)
{
	static const char *const hidden[] = {"\x1b[2J", "a\nb", "\x7f", "\xc2\x9b", "\xe2\x80\xae", "\xff", "\xc3"};

	(void)t;
	for (const struct type *type = types; type < types + TYPES; type++) {
		for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++) {
			if (f->kind == NUMBER || f->kind == ADDRESS)
				continue;
			for (size_t at = 0; at < 3; at++) {
				char text[3] = {'a', 'b', 'c'};
				text[at] = '\0';
				put_only(type, f, text, 3, 1);
				if (f->kind == BYTES)
					assert_taken(type);
				else
					assert_refused(type, "message_field");
			}
			for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
				put_only(type, f, hidden[i], strlen(hidden[i]), 1);
				if (f->kind == WORDS)
					assert_refused(type, "message_field");
				else
					assert_taken(type);
			}
			put_only(type, f, "caf\xc3\xa9 \"x\"", 9, 1);
			assert_taken(type);
		}
	}
}

static void test_addresses(struct kh_test *t)
{
	const struct type *type = &types[KH_MESSAGE_ADDRESSES - 1];

	(void)t;
	for (size_t n = 0; n < 40; n++) {
		put_only(type, type->fields, filling(), n, 1);
		if (n == 4 || n == 16)
			assert_taken(type);
		else
			assert_refused(type, "message_field");
	}
}

/* The three bytes after a tag are zero, and a field ends within the message. */
static void test_field_header(struct kh_test *t)
{
	const struct type *type = &types[KH_MESSAGE_LOOKUP - 1];

	(void)t;
	for (size_t zero = 1; zero < 4; zero++) {
		put_all(type);
		raw.p[KH_MESSAGE_HEADER + zero] = 1;
		assert_refused(type, "message_field");
	}
	static const size_t lengths[] = {4, 2, 0, 0xff, 0xfffffff8, 0xffffffff, 0x7fffffff};
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		put_all(type);
		put32(KH_MESSAGE_HEADER + 4, lengths[i]);
		assert_refused(type, "message_field");
	}
	for (size_t n = 1; n < 8; n++) {
		put_all(type);
		raw.n += n;
		memset(raw.p + raw.n - n, 0, n);
		assert_refused(type, "message_field");
	}
}

/* Bulk is of one byte up to a message's size, and nothing is larger than that. */
static void test_bulk(struct kh_test *t)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;
	struct kh_view packet;

	for (const struct type *type = types; type < types + TYPES; type++) {
		begin(type->type);
		raw.n = KH_MESSAGE_MAX;
		if (type->bulk)
			assert_taken(type);
		else
			assert_refused(type, "message_field");
		raw.n = KH_MESSAGE_MAX + 1;
		assert_refused(type, "message_size");
		raw.n = KH_MESSAGE_HEADER;
		if (type->bulk)
			assert_refused(type, "message_size");
		if (!type->bulk)
			continue;
		kh_message_begin(&out, buffer, sizeof(buffer), type->type);
		kh_message_bulk(&out, kh_view_of(filling(), KH_MESSAGE_BULK));
		must(t, kh_message_end(&out, &packet));
		assert_int_equal(packet.n, KH_MESSAGE_MAX);
		kh_message_begin(&out, buffer, sizeof(buffer), type->type);
		kh_message_bulk(&out, kh_view_of(filling(), KH_MESSAGE_BULK + 1));
		must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
		kh_message_begin(&out, buffer, sizeof(buffer), type->type);
		must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
		/* Bytes that were read into their place stay there. */
		memcpy(buffer + KH_MESSAGE_HEADER, "in place", 8);
		kh_message_begin(&out, buffer, sizeof(buffer), type->type);
		kh_message_bulk(&out, kh_view_of(buffer + KH_MESSAGE_HEADER, 8));
		must(t, kh_message_end(&out, &packet));
		assert_memory_equal(packet.p + KH_MESSAGE_HEADER, "in place", 8);
	}
}

/* A writer cannot write what a reader would refuse. */
static void test_writer(struct kh_test *t)
{
	static char buffer[KH_MESSAGE_MAX];
	struct kh_message_out out;
	struct kh_view packet = {0};

	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_BROKEN); /* one of two */
	kh_message_number(&out, KH_FIELD_PART, 1);
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_BROKEN); /* order */
	kh_message_number(&out, KH_FIELD_ERRNO, 1);
	kh_message_number(&out, KH_FIELD_PART, 1);
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_EXITED); /* twice */
	kh_message_number(&out, KH_FIELD_STATUS, 1);
	kh_message_number(&out, KH_FIELD_STATUS, 1);
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_BROKEN); /* too large */
	kh_message_number(&out, KH_FIELD_PART, KH_PARTS);
	kh_message_number(&out, KH_FIELD_ERRNO, 1);
	must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP);
	kh_message_text(&out, KH_FIELD_NAME, kh_view_of("a\0b", 3));
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP);
	kh_message_text(&out, KH_FIELD_NAME, kh_view_of(filling(), 4097));
	must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP); /* an empty text is none */
	kh_message_text(&out, KH_FIELD_NAME, KH_LIT(""));
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_NONE);
	must_fail(t, KH_EINPUT, kh_message_end(&out, &packet));
	/* What does not fit is not written past the buffer, and the mark stays. */
	memset(buffer, '#', sizeof(buffer));
	kh_message_begin(&out, buffer, 40, KH_MESSAGE_LOOKUP);
	kh_message_text(&out, KH_FIELD_NAME, kh_view_of(filling(), 25));
	kh_message_text(&out, KH_FIELD_NAME, KH_LIT("a"));
	must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
	assert_int_equal(buffer[40], '#');
	kh_message_begin(&out, buffer, 7, KH_MESSAGE_WARM);
	must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_LOOKUP);
	kh_message_text(&out, KH_FIELD_NAME, kh_view_of(filling(), SIZE_MAX - 4));
	must_fail(t, KH_ELIMIT, kh_message_end(&out, &packet));
	assert_null(packet.p);
}

/* Whoever makes room for KH_MESSAGE_ITEMS has room for every message: all lists of RUN, which has most, when full. */
static void test_most_items(struct kh_test *t)
{
	const struct type *type = &types[KH_MESSAGE_RUN - 1];
	size_t all = 0;

	(void)t;
	begin(type->type);
	for (const struct field *f = type->fields; f->kind != END_OF_LIST; f++)
		for (size_t i = 0; f->kind == LIST && i < f->items; i++, all++)
			put(f->tag, "/x", 2);
	assert_true(all <= KH_MESSAGE_ITEMS);
	assert_taken(type);
}

/* A detail is made fit: cut at a whole character, and what would do something becomes a question mark. */
static void test_detail(struct kh_test *t)
{
	static char buffer[KH_MESSAGE_MAX];
	static const struct {
		const char *in, *out;
	} words[] = {
		{"plain words", "plain words"},
		{"a\x1b[31mb\nc", "a?[31mb?c"},
		{"\xff\xfe", "??"},
		{"caf\xc3\xa9", "caf\xc3\xa9"},
		{"\xe2\x80\xae"
		 "evil",
		 "?evil"},
	};
	struct kh_message_out out;
	struct kh_message message;
	struct kh_view packet;
	char text[256];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		enum kh_message_state state = KH_STATE_RESOLVING;
		kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_DONE);
		kh_message_number(&out, KH_FIELD_FAULT, KH_FAULT_NAME);
		kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(words[i].in));
		must(t, kh_message_end(&out, &packet));
		must(t, kh_message_read(packet, 0, &state, &message, &t->err));
		assert_view(message.text[KH_FIELD_DETAIL], words[i].out);
	}
	for (size_t n = 195; n <= 205; n++) {
		enum kh_message_state state = KH_STATE_RESOLVING;
		memset(text, 'x', n);
		memcpy(text + n, "\xc3\xa9", 3);
		kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_DONE);
		kh_message_number(&out, KH_FIELD_FAULT, KH_FAULT_NAME);
		kh_message_text(&out, KH_FIELD_DETAIL, kh_view_str(text));
		must(t, kh_message_end(&out, &packet));
		must(t, kh_message_read(packet, 0, &state, &message, &t->err));
		assert_int_equal(message.text[KH_FIELD_DETAIL].n, n <= 198 ? n + 2 : n < 200 ? n : 200);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_round_trip),
	KH_TEST_ONCE(test_required),
	KH_TEST_ONCE(test_wrong_version_type_size),
	KH_TEST_ONCE(test_wrong_length),
	KH_TEST_ONCE(test_truncated),
	KH_TEST_ONCE(test_flipped),
	KH_TEST_ONCE(test_states),
	KH_TEST_ONCE(test_descriptors),
	KH_TEST_ONCE(test_foreign_fields),
	KH_TEST_ONCE(test_order_and_duplicates),
	KH_TEST_ONCE(test_longest),
	KH_TEST_ONCE(test_items),
	KH_TEST_ONCE(test_characters),
	KH_TEST_ONCE(test_addresses),
	KH_TEST_ONCE(test_field_header),
	KH_TEST_ONCE(test_bulk),
	KH_TEST_ONCE(test_writer),
	KH_TEST_ONCE(test_most_items),
	KH_TEST_ONCE(test_detail),
};

KH_TEST_MAIN(cases)

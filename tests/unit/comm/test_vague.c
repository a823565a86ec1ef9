#include "core/comm/vague.h"
#include "harness.h"

static struct kh_vague measure(struct kh_test *t, const char *text, const char *about)
{
	struct kh_vague vague = {0};

	must(t, kh_vague_measure(&t->arena, kh_view_str(text), kh_view_str(about), &vague));
	return vague;
}

/* E3: a justification says something, in whatever language. */
static void test_telling(struct kh_test *t)
{
	static const char *const all[] = {
		"The user asked for all orders.",
		"Need product pricing data for customer query",
		"What does Product X cost in 2026?",
		"Summarize results for the user",
		"Compare both offers in a table",
		"I do not know today's exchange rate",
		"the notes say when the meeting is",
		"the page has the price of the train",
		"whether Anna has answered the mail",
		"to see if the invoice was paid",
		"list price of the product",
		"user wants the weather in Rome",
		"The GDP of the USA for 2025",
		"check flight LA2485 for delays",
		"order 8812 has not arrived",
		"names of accounts on this machine",
		"I need the opening hours of the library",
		"Der Nutzer möchte alle Bestellungen sehen.",
		"Wir brauchen den Preis der Fahrkarte",
		"Öffnungszeiten der Bücherei für morgen",
		"L'utilisateur demande toutes les commandes.",
		"le prix du billet de train pour Lyon",
		"El usuario pidió todos los pedidos de marzo",
		"necesito el horario de la biblioteca",
		"L'utente vuole gli ordini di marzo",
		"il prezzo del biglietto per Torino",
		"O usuário quer as encomendas de março",
		"preciso do preço da passagem",
		"De gebruiker vraagt om alle bestellingen",
		"de prijs van het treinkaartje",
		"Нужны цены на билеты",
		"пользователь хочет расписание поездов",
		"需要产品价格数据",
		"用户想知道三月的订单",
		"会議の日程を知る必要があります",
		"주문 목록을 사용자가 요청했습니다",
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_vague vague = measure(t, all[i], "");
		if (kh_vague_is(&vague))
			fail_msg("called vague: %s", all[i]);
	}
}

/* E3: more than filler, however and in whatever language it is written. */
static void test_filler(struct kh_test *t)
{
	static const char *const all[] = {
		"",
		"x",
		"x x x x x x x x x x",
		"x1 y2 z3 a4 b5",
		"xx yy zz ww vv uu",
		"stuff",
		"need data",
		"because",
		"because I need it",
		"I need some information please",
		"something to help the user",
		"to help the user with their request",
		"NEED MORE INFO",
		"n\xe2\x80\x8b\x65\x65\x64 more in\xc2\xad\x66o",
		"\xef\xbd\x8e\xef\xbd\x85\xef\xbd\x85\xef\xbd\x84 data",
		"pricing pricing pricing PRICING",
		"aaaaaaaaaa bbbbbbbbbbbb",
		"x y z u v w a b c d",
		"............ !!!!!!!",
		"1 2 3 4 5 6 7 8 9 0",
		"to answer the user's question",
		"for research purposes",
		"the user wants me to do it",
		"it is needed for the task",
		"this is necessary and useful",
		"because the user asked for it",
		"just testing the tool",
		"as requested by the user",
		"Ich brauche mehr Informationen",
		"weil der Nutzer es möchte",
		"für die Aufgabe nötig",
		"j'ai besoin de plus d'informations",
		"pour aider l'utilisateur",
		"necesito más información para esto",
		"para ayudar al usuario",
		"ho bisogno di più informazioni",
		"per rispondere alla domanda",
		"preciso de mais informações",
		"ik heb meer informatie nodig",
		"omdat de gebruiker het vraagt",
		"мне нужна информация",
		"我需要一些信息",
		"因为用户需要更多数据",
		"情報が必要です",
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_vague vague = measure(t, all[i], "");
		if (!kh_vague_is(&vague))
			fail_msg("not called vague: %s", all[i]);
	}
}

/* E3: a reason is more than the operation and its parameters once more. */
static void test_repeated(struct kh_test *t)
{
	static const struct {
		const char *text, *about;
		bool vague;
	} all[] = {
		{"fetch https://example.com/trains", "comm.fetch [\"https://example.com/trains\"]", true},
		{"Fetch EXAMPLE.com/trains now, please", "comm.fetch [\"https://example.com/trains\"]", true},
		{"opening hours of the library", "comm.search [\"opening hours library\"]", true},
		{"search: opening hours of the library", "comm.search [\"opening hours library\"]", true},
		{"图书馆开放时间", "comm.search [\"图书馆开放时间\"]", true},
		{"Anna wants to go to the library tomorrow", "comm.search [\"opening hours library\"]", false},
		{"The user asked for all orders.", "comm.query [\"shop\",\"all orders\"]", false},
		{"the page has the price of the train", "comm.fetch [\"https://example.com/trains\"]", false},
		{"用户明天要去图书馆还书", "comm.search [\"图书馆开放时间\"]", false},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_vague vague = measure(t, all[i].text, all[i].about);
		if (kh_vague_is(&vague) != all[i].vague)
			fail_msg("%s", all[i].text);
	}
}

static void test_counts(struct kh_test *t)
{
	struct kh_vague vague = measure(t, "  Product \xe2\x80\x8bX,  product\tY2  ", "");
	char many[64 * 4 + 1] = "";

	assert_int_equal(vague.characters, 21);
	assert_int_equal(vague.words, 4);
	assert_int_equal(vague.telling, 1); /* X and Y2 are too short to say anything */
	/* Five invisible characters are no characters. */
	assert_int_equal(measure(t, "a\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8bz", "").characters,
			 2);
	for (int i = 0; i < 64; i++) {
		many[i * 4] = (char)('a' + i % 26);
		many[i * 4 + 1] = (char)('b' + i / 26);
		many[i * 4 + 2] = 'q';
		many[i * 4 + 3] = ' ';
	}
	vague = measure(t, many, "");
	assert_int_equal(vague.words, 64);
	assert_false(kh_vague_is(&vague));
}

static const struct kh_test_case cases[] = {KH_TEST(test_telling), KH_TEST(test_filler), KH_TEST(test_repeated),
					    KH_TEST(test_counts)};
KH_TEST_MAIN(cases)

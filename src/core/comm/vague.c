/*
 * Weighs the words of a text.  It uses short lists and no statistics, so that a person can see the reason for a result.
 */
#include "core/comm/vague.h"

#include "base/utf8.h"
#include "core/screen/normalise.h"

#define WORDS_MAX    64 /* different words that are kept; more than enough, because two suffice */
#define WORD_MIN     3  /* characters of a word that says something */
#define NUMBER_MIN   2  /* digits of a number that says something */
#define UNSPACED     2  /* characters that make a word in a script without blanks */
#define UNSPACED_MAX 3  /* words that one run of such a script counts as */

enum weight { SLIGHT, FUNCTION, GENERAL, TELLING };

/* Function words of English, German, French, Spanish, Italian, Portuguese, Dutch and Russian. */
/* clang-format off */
static const char *const function_words[] = {
	/* en */
	"about", "again", "all", "also", "and", "another", "any", "are", "because", "been", "being", "but", "can",
	"could", "did", "does", "etc", "every", "for", "from", "further", "had", "has", "have", "her", "here", "him",
	"his", "how", "its", "just", "like", "many", "may", "might", "more", "most", "much", "must", "not", "now",
	"one", "only", "other", "our", "please", "she", "should", "some", "such", "than", "that", "the", "their",
	"them", "then", "there", "these", "they", "this", "those", "too", "very", "was", "were", "what", "when",
	"where", "whatever", "which", "who", "why", "will", "with", "would", "yes", "you", "your",
	/* de */
	"aber", "alle", "als", "auch", "auf", "aus", "bei", "bitte", "dann", "das", "dass", "dem", "den", "der",
	"des", "die", "dies", "diese", "diesen", "dieser", "dieses", "doch", "ein", "eine", "einem", "einen",
	"einer", "eines", "etwas", "für", "hat", "ich", "ihm", "ihn", "ihr", "ihre", "ist", "kann", "mehr", "mein",
	"meine", "mich", "mir", "mit", "nach", "nicht", "noch", "nur", "oder", "sein", "seine", "sich", "sie",
	"sind", "soll", "über", "und", "uns", "vom", "von", "vor", "war", "weil", "wenn", "werden", "wie", "wir",
	"wird", "zum", "zur",
	/* fr */
	"afin", "aux", "avec", "ces", "cet", "cette", "comme", "dans", "des", "elle", "elles", "est", "être", "ils",
	"les", "leur", "lui", "mais", "mes", "moi", "mon", "nos", "notre", "nous", "ont", "par", "parce", "pas",
	"plus", "pour", "que", "quelque", "quelques", "qui", "sans", "ses", "son", "sont", "sur", "tous", "tout",
	"toute", "très", "une", "vos", "votre", "vous",
	/* es */
	"algo", "algún", "alguna", "algunos", "con", "como", "cual", "del", "desde", "ella", "ellos", "este", "esta",
	"esto", "está", "hay", "las", "los", "más", "mis", "muy", "para", "pero", "por", "porque", "qué", "ser",
	"sin", "sobre", "sus", "también", "todo", "todos", "una", "unas", "uno", "unos", "usted",
	/* it */
	"alcune", "alcuni", "alla", "anche", "che", "chi", "come", "con", "cosa", "dal", "dalla", "degli", "dei",
	"del", "della", "delle", "gli", "hanno", "loro", "mia", "mio", "nel", "nella", "non", "per", "perché", "più",
	"qualche", "questa", "questo", "sono", "sua", "sue", "suo", "sul", "sulla", "tutti", "tutto",
	/* pt */
	"algo", "alguma", "algumas", "alguns", "ao", "aos", "com", "como", "das", "dos", "ela", "ele", "essa", "esse",
	"está", "isso", "isto", "mais", "mas", "meu", "minha", "muito", "não", "nas", "nos", "para", "pela", "pelo",
	"porque", "que", "sem", "seu", "sua", "também", "todos", "tudo", "uma", "umas", "uns", "você",
	/* nl */
	"aan", "alle", "als", "dan", "dat", "deze", "die", "dit", "door", "een", "enkele", "haar", "heb", "hebben",
	"heeft", "hem", "het", "hij", "hun", "iets", "ik", "kan", "maar", "meer", "met", "mijn", "naar", "niet",
	"nog", "omdat", "onze", "ook", "over", "uit", "van", "voor", "want", "wat", "wij", "wil", "worden", "zijn",
	/* ru */
	"для", "его", "если", "еще", "ещё", "или", "как", "мне", "мой", "мы", "нам", "нас", "него", "она", "они",
	"оно", "потому", "при", "про", "так", "тоже", "только", "того", "что", "чтобы", "эта", "это", "этого",
};

/* Words that speak of asking, needing, knowing and using, and of nothing that is asked for. */
static const char *const general_words[] = {
	/* en */
	"access", "answer", "anything", "ask", "asked", "asking", "asks", "better", "complete", "content", "context",
	"continue", "data", "details", "everything", "external", "fetch", "find", "fulfil", "fulfill", "general",
	"get", "getting", "give", "good", "goal", "help", "helpful", "helps", "info", "information", "input", "job",
	"know", "knowledge", "look", "make", "misc", "missing", "necessary", "need", "needed", "needs", "none",
	"purpose", "purposes", "query", "question", "questions", "reason", "reasons", "relevant", "request",
	"requested", "requests", "require", "required", "requires", "research", "said", "search", "see", "someone",
	"something", "step", "stuff", "task", "tasks", "test", "testing", "thing", "things", "tool", "understand",
	"unknown", "use", "used", "useful", "user", "users", "uses", "using", "various", "want", "wanted", "wants",
	"work",
	/* de */
	"abfrage", "anfrage", "antwort", "antworten", "aufgabe", "benötigt", "brauche", "brauchen", "braucht",
	"daten", "frage", "fragen", "gebraucht", "grund", "helfen", "hilfe", "information", "informationen",
	"möchte", "nötig", "nutzer", "benutzer", "sache", "sachen", "suche", "suchen", "wissen", "zweck", "zwecke",
	/* fr */
	"aide", "aider", "besoin", "chose", "choses", "demande", "demandé", "données", "information", "informations",
	"nécessaire", "question", "raison", "rechercher", "recherche", "répondre", "réponse", "savoir", "tâche",
	"utile", "utilisateur", "utiliser", "veut", "veux",
	/* es */
	"ayuda", "ayudar", "buscar", "cosa", "cosas", "datos", "información", "necesario", "necesita", "necesito",
	"pedido", "pide", "pregunta", "quiere", "quiero", "razón", "responder", "respuesta", "saber", "solicitud",
	"tarea", "usar", "usuario", "útil",
	/* it */
	"aiutare", "aiuto", "bisogno", "cercare", "chiede", "chiesto", "cose", "dati", "domanda", "informazione",
	"informazioni", "motivo", "necessario", "ragione", "richiesta", "rispondere", "risposta", "sapere",
	"serve", "servono", "utente", "utile", "vuole",
	/* pt */
	"ajuda", "ajudar", "buscar", "coisa", "coisas", "dados", "informação", "informações", "motivo", "necessário",
	"pediu", "pergunta", "precisa", "preciso", "quer", "quero", "razão", "responder", "resposta", "saber",
	"tarefa", "usar", "usuário", "útil", "utilizador",
	/* nl */
	"antwoord", "beantwoorden", "dingen", "gebruiken", "gebruiker", "gegevens", "gevraagd", "help", "helpen",
	"hulp", "informatie", "nodig", "reden", "taak", "vraag", "vraagt", "vragen", "weten", "zoeken",
	/* ru */
	"вопрос", "данные", "задача", "задачи", "знать", "информация", "информации", "нужна", "нужно", "нужны",
	"помочь", "помощь", "пользователь", "пользователя", "поиск", "причина", "хочет", "ответ",
};

/* The same in Chinese and Japanese, where they are parts of a run of characters. */
static const char *const general_parts[] = {
	"用户", "需要", "一些", "信息", "数据", "资料", "帮助", "任务", "东西", "更多", "因为", "问题", "回答", "请求", "想要", "知道", "这个",
	"那个", "获取", "查询", "使用", "请", "我", "的", "了", "要", "想", "和", "是",
	"ユーザー", "必要", "情報", "データ", "ください", "もっと", "ありがとう", "質問", "回答", "ため", "です", "ます", "ので", "から", "いる",
	"ある", "する", "を", "が", "は", "に", "の", "で", "と", "も",
};
/* clang-format on */

#define LISTED(list, word) is_listed((list), sizeof(list) / sizeof((list)[0]), (word))

static bool is_listed(const char *const *list, size_t count, struct kh_view word)
{
	for (size_t i = 0; i < count; i++) {
		if (kh_view_eq(word, kh_view_str(list[i])))
			return true;
	}
	return false;
}

/* Whether words of the script of C have no blanks between them: Thai, Lao, Khmer, Han, Kana. */
static bool is_unspaced(uint32_t c)
{
	return (c >= 0x0e00 && c < 0x0f00) || (c >= 0x1780 && c < 0x1800) || (c >= 0x2e80 && c < 0xa000) ||
	       (c >= 0x20000 && c < 0x30000);
}

/* Everything that is not a letter or a digit separates words, as far as it is in a common block of punctuation. */
static bool parts(uint32_t c)
{
	if (c < 0x80)
		return !kh_ascii_is_alpha((char)c) && !kh_ascii_is_digit((char)c);
	return kh_utf8_is_space(c) || (c >= 0xa1 && c < 0xc0) || (c >= 0x2000 && c < 0x2070) ||
	       (c >= 0x3000 && c < 0x3040);
}

/* What a word of a script with blanks weighs. */
static enum weight weigh(struct kh_view word)
{
	size_t same = 1, digits = 0;

	while (same < word.n && word.p[same] == word.p[0])
		same++;
	for (size_t i = 0; i < word.n; i++)
		digits += kh_ascii_is_digit(word.p[i]);
	if (digits == word.n)
		return word.n >= NUMBER_MIN ? TELLING : SLIGHT;
	if (kh_utf8_length(word) < WORD_MIN || same == word.n)
		return SLIGHT;
	if (LISTED(function_words, word))
		return FUNCTION;
	return LISTED(general_words, word) ? GENERAL : TELLING;
}

/* --- the words of a text ------------------------------------------------------------------------------------------ */

/* Takes the next word off REST; false if there is none. */
static bool take_word(struct kh_view *rest, struct kh_view *ret_word, bool *ret_unspaced)
{
	size_t start = 0, at, len;
	uint32_t c;

	while ((len = kh_utf8_decode(*rest, start, &c)) > 0 && parts(c))
		start += len;
	*ret_unspaced = false;
	for (at = start; (len = kh_utf8_decode(*rest, at, &c)) > 0 && !parts(c); at += len)
		*ret_unspaced = *ret_unspaced || is_unspaced(c);
	*ret_word = kh_view_sub(*rest, start, at);
	*rest = kh_view_from(*rest, at);
	return ret_word->n > 0;
}

struct words {
	struct kh_view at[WORDS_MAX];
	enum weight weight[WORDS_MAX];
	bool known[WORDS_MAX]; /* it is in what the text is about */
	size_t n;
};

static void keep(struct words *words, struct kh_view word, enum weight weight)
{
	size_t seen = 0;

	while (seen < words->n && !kh_view_eq(words->at[seen], word))
		seen++;
	if (seen < words->n || seen == WORDS_MAX)
		return;
	words->at[seen] = word;
	words->weight[seen] = weight;
	words->n++;
}

/* The bytes of the general part that TEXT begins with; 0: it begins with none. */
static size_t general_at(struct kh_view text)
{
	size_t most = 0;

	for (size_t i = 0; i < sizeof(general_parts) / sizeof(general_parts[0]); i++) {
		struct kh_view part = kh_view_str(general_parts[i]);
		if (part.n > most && kh_view_starts(text, part))
			most = part.n;
	}
	return most;
}

/* Counts the characters that are not of a general part; each two of them that follow one another are a word. */
static void keep_run(struct words *words, struct kh_view run)
{
	size_t start = 0, characters = 0, kept = 0, len;
	uint32_t c;

	for (size_t at = 0; at < run.n && kept < UNSPACED_MAX; at += len) {
		len = general_at(kh_view_from(run, at));
		if (len > 0) {
			keep(words, kh_view_sub(run, at, at + len), GENERAL);
			characters = 0;
			continue;
		}
		len = kh_utf8_decode(run, at, &c);
		if (characters++ == 0)
			start = at;
		if (characters == UNSPACED) {
			keep(words, kh_view_sub(run, start, at + len), TELLING);
			characters = 0;
			kept++;
		}
	}
}

/* Marks the words that ABOUT has too; a run of a script without blanks is looked for as it is. */
static void mark_known(struct words *words, struct kh_view about)
{
	struct kh_view rest = about, word;
	bool unspaced;

	while (take_word(&rest, &word, &unspaced)) {
		for (size_t i = 0; i < words->n; i++)
			words->known[i] = words->known[i] || kh_view_eq(words->at[i], word) ||
					  (unspaced && kh_view_find(word, words->at[i], 0) != SIZE_MAX);
	}
}

static void count(const struct words *words, struct kh_vague *vague)
{
	for (size_t i = 0; i < words->n; i++) {
		bool telling = words->weight[i] == TELLING;
		vague->telling += telling;
		vague->general += !telling;
		vague->own_telling += telling && !words->known[i];
		vague->own_general += !telling && !words->known[i];
	}
}

enum kh_err kh_vague_measure(struct kh_arena *arena, struct kh_view text, struct kh_view about, struct kh_vague *ret)
{
	struct words words = {.n = 0};
	struct kh_vague vague = {0};
	struct kh_view key, known = {NULL, 0}, rest, word;
	bool unspaced;
	enum kh_err e = kh_normalise_key(arena, text, &key);

	if (e == KH_OK && about.n > 0)
		e = kh_normalise_key(arena, about, &known);
	if (e != KH_OK)
		return e;
	vague.characters = kh_utf8_length(key);
	for (rest = key; take_word(&rest, &word, &unspaced); vague.words++) {
		enum weight weight = weigh(word);
		if (unspaced)
			keep_run(&words, word);
		else if (weight == GENERAL || weight == TELLING)
			keep(&words, word, weight);
	}
	mark_known(&words, known);
	count(&words, &vague);
	*ret = vague;
	return KH_OK;
}

bool kh_vague_is(const struct kh_vague *vague)
{
	bool says = vague->telling >= 1 && vague->telling + vague->general >= 2;
	bool repeats = vague->own_telling == 0 && vague->own_general < 2;

	return !says || repeats;
}

/* Words for secrets.  The text is anybody's; it is folded (core/screen/fold.h) and searched, and never shown from here. */
#include "core/comm/secretive.h"

#include "core/screen/fold.h"

/* Found anywhere in a text, also inside of a word, however it is spaced. */
/* clang-format off */
static const char *const long_words[] = {
	"password", "passwd", "passphrase", "passcode", "passkey", "passwort", "kennwort", "losung", "geheim", "secret",
	"credential", "zugangsdaten", "apikey", "accesskey", "privatekey", "sshkey", "secretkey", "signingkey", "encryptionkey",
	"licensekey", "recoverykey", "seedphrase", "mnemonic", "recoveryphrase", "recoverycode", "backupcode", "onetimecode",
	"verificationcode", "securitycode", "authcode", "accesstoken", "authtoken", "bearertoken", "refreshtoken",
	"sessioncookie", "sessionid", "pincode", "creditcard", "cardnumber", "kreditkarte", "cvv", "socialsecurity",
	"contrasena", "clavedeacceso", "motdepasse", "codesecret", "senha", "palavrapasse", "parolachiave", "parola d'ordine",
	"wachtwoord", "haslo", "heslo", "losenord", "adgangskode", "salasana", "jelszo", "parola", "sifre",
	"пароль", "секрет", "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호", "كلمة المرور", "סיסמה", "รหัสผ่าน",
};

/* Found as a word of its own: within others they mean something else. */
static const char *const short_words[] = {
	"key", "keys", "pin", "pins", "otp", "totp", "mfa", "tan", "token", "tokens", "pw", "pwd", "pass", "psw", "cvc", "ssn",
	"auth", "cookie", "cookies", "jwt", "clave", "clef", "chiave", "schluessel", "schlussel", "jeton", "bearer",
};
/* clang-format on */

#define LONG  (sizeof(long_words) / sizeof(long_words[0]))
#define SHORT (sizeof(short_words) / sizeof(short_words[0]))

/* TEXT folded and squeezed: letters alone, in lower case. */
static enum kh_err squeeze(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_text)
{
	struct kh_folded folded;
	enum kh_err e = kh_fold_text(arena, text, false, &folded);

	if (e != KH_OK)
		return e;
	char *out = kh_arena_alloc(arena, kh_fold_room(folded.text.n));
	if (out == NULL)
		return KH_ENOMEM;
	*ret_text = kh_view_of(out, kh_fold_squeeze(kh_fold_signs, folded.text.p, folded.text.n, out));
	return KH_OK;
}

/* A list squeezed as the text is: signs and letters that look alike have become one.  NULL: no memory. */
static const struct kh_view *squeeze_all(struct kh_arena *arena, const char *const *words, size_t count)
{
	struct kh_view *all = KH_NEW_N(arena, struct kh_view, count);

	for (size_t i = 0; all != NULL && i < count; i++) {
		if (squeeze(arena, kh_view_str(words[i]), &all[i]) != KH_OK)
			return NULL;
	}
	return all;
}

enum kh_err kh_secretive_text(struct kh_arena *arena, struct kh_view text, bool *ret_yes)
{
	const struct kh_view *words = squeeze_all(arena, long_words, LONG);
	struct kh_view squeezed;
	enum kh_err e = words != NULL ? squeeze(arena, text, &squeezed) : KH_ENOMEM;

	*ret_yes = false;
	for (size_t i = 0; e == KH_OK && !*ret_yes && i < LONG; i++)
		*ret_yes = kh_view_find(squeezed, words[i], 0) != SIZE_MAX;
	return e;
}

static bool is_one_of(const struct kh_view *words, size_t count, struct kh_view squeezed)
{
	for (size_t i = 0; i < count; i++) {
		if (kh_view_eq(squeezed, words[i]))
			return true;
	}
	return false;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Where the word that begins at START of TEXT, which is folded, ends: at a sign, or before a capital after none. */
static size_t word_end(struct kh_view text, size_t start)
{
	size_t i = start + 1;

	while (i < text.n && kh_fold_signs[(unsigned char)text.p[i]] != 0 &&
	       !(is_upper(text.p[i]) && !is_upper(text.p[i - 1])))
		i++;
	return i;
}

/* Whether a word of TEXT, or all of it ("P.I.N"), is a short one. */
static enum kh_err has_short_word(struct kh_arena *arena, struct kh_view text, bool *ret_yes)
{
	const struct kh_view *words = squeeze_all(arena, short_words, SHORT);
	struct kh_folded folded;
	enum kh_err e = kh_fold_text(arena, text, false, &folded);
	char *out = e == KH_OK ? kh_arena_alloc(arena, kh_fold_room(folded.text.n)) : NULL;

	if (out == NULL || words == NULL)
		return e == KH_OK ? KH_ENOMEM : e;
	size_t n = kh_fold_squeeze(kh_fold_signs, folded.text.p, folded.text.n, out);
	*ret_yes = is_one_of(words, SHORT, kh_view_of(out, n));
	for (size_t at = 0, end; !*ret_yes && at < folded.text.n; at = end) {
		end = word_end(folded.text, at);
		n = kh_fold_squeeze(kh_fold_signs, folded.text.p + at, end - at, out);
		*ret_yes = is_one_of(words, SHORT, kh_view_of(out, n));
	}
	return KH_OK;
}

enum kh_err kh_secretive_name(struct kh_arena *arena, struct kh_view text, bool *ret_yes)
{
	enum kh_err e = kh_secretive_text(arena, text, ret_yes);

	return e == KH_OK && !*ret_yes ? has_short_word(arena, text, ret_yes) : e;
}

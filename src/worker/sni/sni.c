/* Trusts the executor for the name, and nobody for the bytes. */
#include "worker/sni/sni.h"

#include "worker/sni/hello.h"

int kh_worker_sni_serve(struct kh_worker *worker)
{
	struct kh_message message;
	int fds[KH_MESSAGE_FDS];
	size_t fd_count;

	if (!kh_worker_receive(worker, -1, &message, fds, &fd_count))
		return 1;
	enum kh_greeting verdict = kh_hello_judge(message.text[KH_FIELD_FIRST], message.text[KH_FIELD_NAME]);
	kh_worker_begin(worker, KH_MESSAGE_VERDICT);
	kh_message_number(&worker->out, KH_FIELD_VERDICT, verdict);
	return kh_worker_send(worker, -1) == KH_IO_DONE ? 0 : 1;
}

int kh_worker_sni(int channel)
{
	struct kh_worker worker = {.channel = channel, .state = KH_STATE_WORKER_SNI};

	/* The resolver's filter fits: its channel, and nothing that opens anything. */
	if (!kh_worker_confine(KH_FILTER_RESOLVE))
		return 1;
	return kh_worker_sni_serve(&worker);
}

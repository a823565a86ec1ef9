/* The kernel's futex, which puts a thread to sleep only if the word has not changed: no wake-up falls between. */
#include "base/latch.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void kh_latch_wait(struct kh_latch *latch)
{
	while (__atomic_load_n(&latch->set, __ATOMIC_ACQUIRE) == 0)
		syscall(SYS_futex, &latch->set, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

void kh_latch_set(struct kh_latch *latch)
{
	uint32_t *word = &latch->set;

	__atomic_store_n(word, 1, __ATOMIC_RELEASE);
	/*
	 * The waiter may be gone already.  Then nobody is woken, or at worst a thread that checks its own word again.
	 */
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

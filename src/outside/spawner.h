/*
 * The spawner (`keyhole spawner`): starts another executor when the gateway asks for one, because the gateway itself can
 * start no program after its lockdown.
 *
 * It is started by the gateway before the lockdown, and has a channel, the program as an open file (so that it does not
 * matter if the file is replaced), standard error, and nothing else: no environment, no memory of the gateway.  It takes
 * one message, SPAWN, whose descriptor becomes the channel of the new executor, and sends one, EXITED.  There is one
 * executor at a time: SPAWN ends the one before.  What a dead executor leaves behind becomes the spawner's child and is
 * waited for, so that no zombie is left on a machine whose first process does not do that.
 *
 * A filter or Landlock rules are inherited by the executor, which needs to make namespaces and mounts.  So the spawner
 * has no rules of Landlock, and of filters only one that refuses what an executor never does either (sandbox/harm.h).
 * Its main protection is that it reads nothing but those messages.
 */
#ifndef KH_OUTSIDE_SPAWNER_H
#define KH_OUTSIDE_SPAWNER_H

/* The whole process: returns its exit status when the gateway is gone and every child has ended. */
int kh_spawner_main(void);

#endif

/* `keyhole sandbox run`: a program in the sandbox, with its streams and its exit status. */
#ifndef KH_CLI_SANDBOX_RUN_H
#define KH_CLI_SANDBOX_RUN_H

#define KH_SANDBOX_RUN_FAILED 125 /* exit status: the sandbox refused or failed; used for nothing else */

/* ARGV[0] is the command's own name.  Returns the exit status. */
int kh_sandbox_run_main(int argc, char **argv);

#endif

/* `keyhole sandbox fetch`: one HTTP exchange through the sandbox; the body goes to standard output. */
#ifndef KH_CLI_SANDBOX_FETCH_H
#define KH_CLI_SANDBOX_FETCH_H

/* ARGV[0] is the command's own name.  Returns the exit status: 0 a response below 400 came whole, 1 none did, 2 the
 * command line is not usable. */
int kh_sandbox_fetch_main(int argc, char **argv);

#endif

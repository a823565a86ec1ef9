/* `keyhole doctor`: tries on this machine what a sandbox needs, and says what is there, what is missing, and what to
 * do. */
#ifndef KH_CLI_DOCTOR_H
#define KH_CLI_DOCTOR_H

/* ARGV[0] is the command's own name.  Returns the exit status: 0 a sandbox works, 1 none does, 2 the command line is
 * not usable. */
int kh_doctor_main(int argc, char **argv);

#endif

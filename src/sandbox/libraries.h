/*
 * Libraries of this program that no sandbox needs.
 */
#ifndef KH_SANDBOX_LIBRARIES_H
#define KH_SANDBOX_LIBRARIES_H

/*
 * From now on no process that this one forks has libmicrohttpd, which only the gateway uses, and the libraries that come
 * with it alone, TLS and its certificates.  A fork copies each mapping, and these are a third of them all.  A library
 * that is left out by mistake would end the process that calls it.  So does fork(2), which calls what libraries have
 * registered for it: this process may use clone3 and _Fork alone.
 */
void kh_libraries_leave_out(void);

#endif

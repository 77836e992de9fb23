// Lets one thread of slurmd at a time check a credential.
//
// Preloaded around slurmd. Until Slurm 23.11, cred/munge checks the credentials
// of steps with one munge_ctx_t for all threads of slurmd, without a lock, which
// munge_ctx(3) warns of: libmunge frees and replaces strings in it. Two steps that
// reach a node at once corrupt slurmd's heap: "malloc(): unaligned tcache chunk
// detected", and the node is gone. It is rare, and ThreadSanitizer finds it at once.

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

// munge.h need not be installed where a cluster is started: types as there.
typedef int (*munge_decode_t)(const char* credential, void* context, void** payload, int* length,
                              uid_t* user, gid_t* group);

static munge_decode_t real_decode(void) {
  munge_decode_t real = (munge_decode_t)dlsym(RTLD_NEXT, "munge_decode");
  // Slurm opens its plugins, and libmunge with them, apart from what is linked: it is not "next".
  if (real == NULL) {
    void* library = dlopen("libmunge.so.2", RTLD_LAZY);
    if (library != NULL) real = (munge_decode_t)dlsym(library, "munge_decode");
  }
  if (real == NULL) {
    fputs("serial_munge: there is no munge_decode behind this library\n", stderr);
    abort();
  }
  return real;
}

__attribute__((visibility("default"))) int munge_decode(const char* credential, void* context,
                                                        void** payload, int* length, uid_t* user,
                                                        gid_t* group) {
  static pthread_mutex_t decoding = PTHREAD_MUTEX_INITIALIZER;
  munge_decode_t real = real_decode();
  pthread_mutex_lock(&decoding);
  int error = real(credential, context, payload, length, user, group);
  pthread_mutex_unlock(&decoding);
  return error;
}

#!/bin/bash
# Slurm's threads check credentials one after another with libserial_munge, and a program that calls libmunge by a plugin of
# its own, as Slurm does, gets libmunge's answer.
#
#   tests/cluster/serial_munge_test.sh LIBRARY
set -euo pipefail
library=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# In place of libmunge: it answers how many threads were in it at once at most, as the payload's length.
cat >munge.c <<'C'
#include <stdatomic.h>
#include <unistd.h>
int munge_decode(const char* credential, void* context, void** payload, int* length, unsigned* user, unsigned* group) {
  static atomic_int inside, most;
  int now = ++inside, before = most;
  (void)context, (void)payload;
  while (now > before && !atomic_compare_exchange_weak(&most, &before, now)) {}
  usleep(2000);
  --inside;
  *length = most;
  *user = 1, *group = 2;
  return credential[0] == 'x' ? 17 : 0;
}
C
cat >plugin.c <<'C'
int munge_decode(const char*, void*, void**, int*, unsigned*, unsigned*);
int check(const char* credential, int* length) {
  unsigned user, group;
  int error = munge_decode(credential, 0, 0, length, &user, &group);
  return error != 0 ? error : user == 1 && group == 2 ? 0 : -1;
}
C
cat >daemon.c <<'C'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static int (*check)(const char*, int*);
static int wrong;
static void* thread(void* most) {
  for (int i = 0; i < 20; ++i)
    if (check("good", most) != 0) wrong = 1;
  return 0;
}
int main(void) {
  pthread_t threads[8];
  int most[8] = {0}, length = 0, largest = 0;
  check = (int (*)(const char*, int*))dlsym(dlopen("./plugin.so", RTLD_NOW), "check");
  for (int i = 0; i < 8; ++i) pthread_create(&threads[i], 0, thread, &most[i]);
  for (int i = 0; i < 8; ++i) pthread_join(threads[i], 0);
  for (int i = 0; i < 8; ++i)
    if (most[i] > largest) largest = most[i];
  printf("%d at once, error %d of a bad one%s\n", largest, check("x", &length), wrong ? ", wrong answers" : "");
}
C
cc -shared -fPIC -Wl,-soname,libmunge.so.2 -o libmunge.so.2 munge.c
cc -shared -fPIC -o plugin.so plugin.c ./libmunge.so.2 -Wl,-rpath,"$work"
cc -o daemon daemon.c -pthread -ldl
without=$(LD_LIBRARY_PATH=$work ./daemon)
case $without in "1 at once"*) echo "the test itself shows nothing: $without"; exit 1 ;; esac
found=$(LD_LIBRARY_PATH=$work LD_PRELOAD=$library ./daemon)
[ "$found" = "1 at once, error 17 of a bad one" ] || { echo "found '$found', expected 1 at once and error 17 (without: $without)"; exit 1; }

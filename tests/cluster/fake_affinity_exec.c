// The calls that start programs: they pass the simulated node and the caller's
// mask on in the environment; see fake_affinity.c.
//
// Nothing here may allocate: these run in children of fork and vfork.

#include "fake_affinity.h"

#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "FAKE_AFFINITY="
enum {
  kValueSize = 3 * (kMaxPus / 4 + 1),  // REAL:NODE:MASK and its end
  kAddedVariables = 4,                 // what carry() may add, see there
};

// The program's environment, as every wrapper without envp must use it.
extern char** environ;

static size_t length_of(char* const list[]) {
  size_t length = 0;
  while (list != NULL && list[length] != NULL) ++length;
  return length;
}

static const char* value_in(char* const env[], const char* name) {
  size_t length = strlen(name);
  for (size_t i = 0; env != NULL && env[i] != NULL; ++i) {
    if (strncmp(env[i], name, length) == 0 && env[i][length] == '=') return env[i] + length + 1;
  }
  return NULL;
}

static bool is_in_list(const char* list, const char* path) {
  size_t length = strlen(path);
  for (const char* at = list; (at = strstr(at, path)) != NULL; ++at) {
    bool begins = at == list || at[-1] == ':' || at[-1] == ' ';
    bool ends = at[length] == '\0' || at[length] == ':' || at[length] == ' ';
    if (begins && ends) return true;
  }
  return false;
}

struct carried {
  char affinity[sizeof VARIABLE + kValueSize];
  char xml_file[sizeof "HWLOC_XMLFILE=" + PATH_MAX];
};

static size_t preload_size(char* const env[]) {
  const char* old = value_in(env, "LD_PRELOAD");
  return sizeof "LD_PRELOAD=:" + strlen(config.library) + (old != NULL ? strlen(old) : 0);
}

// Fills `to` (room for the old environment, kAddedVariables and the end) with
// the environment that the new program gets.
static void carry(char* const env[], char** to, struct carried* strings, char* preload) {
  const char* old_preload = value_in(env, "LD_PRELOAD");
  bool preloaded = old_preload != NULL && is_in_list(old_preload, config.library);
  for (size_t i = 0; env != NULL && env[i] != NULL; ++i) {
    if (strncmp(env[i], VARIABLE, strlen(VARIABLE)) == 0) continue;
    if (!preloaded && strncmp(env[i], "LD_PRELOAD=", strlen("LD_PRELOAD=")) == 0) continue;
    *to++ = env[i];
  }
  if (!preloaded) {
    char* end = stpcpy(stpcpy(preload, "LD_PRELOAD="), config.library);
    if (old_preload != NULL && *old_preload != '\0') stpcpy(stpcpy(end, ":"), old_preload);
    *to++ = preload;
  }
  cpu_set_t mask = mask_of(gettid());
  char* end = print_mask(stpcpy(strings->affinity, VARIABLE), &config.real);
  *end++ = ':';
  end = print_mask(end, &config.node);
  *end++ = ':';
  *print_mask(end, &mask) = '\0';
  *to++ = strings->affinity;
  // A program that chooses its own hwloc topology keeps it.
  bool own_topology = value_in(env, "HWLOC_XMLFILE") != NULL ||
                      value_in(env, "HWLOC_SYNTHETIC") != NULL || config.xml_file[0] == '\0';
  if (!own_topology) {
    stpcpy(stpcpy(strings->xml_file, "HWLOC_XMLFILE="), config.xml_file);
    *to++ = strings->xml_file;
    static char this_system[] = "HWLOC_THISSYSTEM=1";
    if (value_in(env, "HWLOC_THISSYSTEM") == NULL) *to++ = this_system;
  }
  *to = NULL;
}

// Declares `carried_env`: the environment to pass on instead of `env`. It is
// on the caller's stack, so it has to be a macro.
#define CARRY(env)                                         \
  struct carried carried_strings;                          \
  char carried_preload[preload_size(env)];                 \
  char* carried_env[length_of(env) + kAddedVariables + 1]; \
  carry(env, carried_env, &carried_strings, carried_preload)

API int execve(const char* path, char* const argv[], char* const env[]) {
  if (!active()) return REAL(execve)(path, argv, env);
  CARRY(env);
  return REAL(execve)(path, argv, carried_env);
}

API int execvpe(const char* file, char* const argv[], char* const env[]) {
  if (!active()) return REAL(execvpe)(file, argv, env);
  CARRY(env);
  return REAL(execvpe)(file, argv, carried_env);
}

API int fexecve(int fd, char* const argv[], char* const env[]) {
  if (!active()) return REAL(fexecve)(fd, argv, env);
  CARRY(env);
  return REAL(fexecve)(fd, argv, carried_env);
}

API int execveat(int fd, const char* path, char* const argv[], char* const env[], int flags) {
  if (!active()) return REAL(execveat)(fd, path, argv, env, flags);
  CARRY(env);
  return REAL(execveat)(fd, path, argv, carried_env, flags);
}

API int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                    const posix_spawnattr_t* attr, char* const argv[], char* const env[]) {
  if (!active()) return REAL(posix_spawn)(pid, path, actions, attr, argv, env);
  CARRY(env);
  return REAL(posix_spawn)(pid, path, actions, attr, argv, carried_env);
}

API int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                     const posix_spawnattr_t* attr, char* const argv[], char* const env[]) {
  if (!active()) return REAL(posix_spawnp)(pid, file, actions, attr, argv, env);
  CARRY(env);
  return REAL(posix_spawnp)(pid, file, actions, attr, argv, carried_env);
}

API int execv(const char* path, char* const argv[]) {
  return execve(path, argv, environ);
}

API int execvp(const char* file, char* const argv[]) {
  return execvpe(file, argv, environ);
}

// Declares `argv`: the variadic arguments from `first` up to NULL, and leaves
// `rest` after that NULL.
#define COLLECT(first)                         \
  va_list rest;                                \
  size_t count = 1;                            \
  va_start(rest, first);                       \
  while (va_arg(rest, char*) != NULL) ++count; \
  va_end(rest);                                \
  char* argv[count + 1];                       \
  argv[0] = (char*)(size_t)first;              \
  va_start(rest, first);                       \
  for (size_t i = 1; i <= count; ++i) argv[i] = va_arg(rest, char*)

API int execl(const char* path, const char* first, ...) {
  COLLECT(first);
  va_end(rest);
  return execve(path, argv, environ);
}

API int execlp(const char* file, const char* first, ...) {
  COLLECT(first);
  va_end(rest);
  return execvpe(file, argv, environ);
}

API int execle(const char* path, const char* first, ...) {
  COLLECT(first);
  char* const* env = va_arg(rest, char* const*);
  va_end(rest);
  return execve(path, argv, env);
}

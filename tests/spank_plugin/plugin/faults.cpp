// Linked with the plugin's own objects into a second plugin, whose calls of Slurm fail on demand: a
// file beside it, named like it with ".faults" behind, says how in one line, read anew at each call
// (the processes that load the plugin are many and short):
//   fail FUNCTION    the function returns an error
//   throw FUNCTION   it throws what is no std::exception
//   new N            the N-th allocation of a process and all later ones throw std::bad_alloc
// The linker's --wrap leads calls of FUNCTION to __wrap_FUNCTION here; __real_FUNCTION is Slurm's.

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "spank_plugin/plugin/spank_api.hpp"

extern "C" {
#include <slurm/slurm.h>
}

namespace {

struct Fault {
  std::array<char, 16> how{};
  std::array<char, 64> where{};
};

// Without allocations: it is asked while one is made.
Fault fault() {
  static const std::array<char, 4096> file = [] {
    std::array<char, 4096> path{};
    Dl_info info{};
    if (::dladdr(reinterpret_cast<void*>(&fault), &info) != 0)
      std::snprintf(path.data(), path.size(), "%s.faults", info.dli_fname);
    return path;
  }();
  Fault found;
  std::array<char, 128> text{};
  const int descriptor = ::open(file.data(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return found;
  const ssize_t length = ::read(descriptor, text.data(), text.size() - 1);
  ::close(descriptor);
  if (length > 0) std::sscanf(text.data(), "%15s %63s", found.how.data(), found.where.data());
  return found;
}

bool asked(const Fault& fault, const char* how, const char* where) {
  return std::strcmp(fault.how.data(), how) == 0 && std::strcmp(fault.where.data(), where) == 0;
}

// True if the function shall fail; it may also not return.
bool fails(const char* function) {
  const Fault wanted = fault();
  if (asked(wanted, "throw", function)) throw 1;
  return asked(wanted, "fail", function);
}

void* allocate(std::size_t size) {
  static std::atomic<long> allocations{0};
  const Fault wanted = fault();
  if (std::strcmp(wanted.how.data(), "new") == 0 &&
      ++allocations >= std::strtol(wanted.where.data(), nullptr, 10))
    throw std::bad_alloc();
  void* memory = std::malloc(size == 0 ? 1 : size);  // NOLINT(cppcoreguidelines-no-malloc)
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc)
}

extern "C" {

#define HUDDLE_FAULTY(result, function, failure, parameters, arguments) \
  result __real_##function parameters;                                  \
  result __wrap_##function parameters;                                  \
  result __wrap_##function parameters {                                 \
    return fails(#function) ? (failure) : __real_##function arguments;  \
  }

// A pointer; what hostlist_t is depends on Slurm's version.
using HostList = decltype(slurm_hostlist_create(nullptr));

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
HUDDLE_FAULTY(spank_context_t, spank_context, S_CTX_ERROR, (), ())
HUDDLE_FAULTY(spank_err_t, spank_getenv, ESPANK_ERROR,
              (spank_t spank, const char* name, char* value, int length),
              (spank, name, value, length))
HUDDLE_FAULTY(spank_err_t, spank_setenv, ESPANK_ERROR,
              (spank_t spank, const char* name, const char* value, int overwrite),
              (spank, name, value, overwrite))
HUDDLE_FAULTY(spank_err_t, spank_unsetenv, ESPANK_ERROR, (spank_t spank, const char* name),
              (spank, name))
HUDDLE_FAULTY(spank_err_t, spank_option_register, ESPANK_ERROR,
              (spank_t spank, spank_option* option), (spank, option))
HUDDLE_FAULTY(spank_err_t, spank_option_getopt, ESPANK_ERROR,
              (spank_t spank, spank_option* option, char** argument), (spank, option, argument))
HUDDLE_FAULTY(const char*, spank_strerror, nullptr, (spank_err_t code), (code))
HUDDLE_FAULTY(HostList, slurm_hostlist_create, nullptr, (const char* list), (list))
HUDDLE_FAULTY(char*, slurm_hostlist_shift, nullptr, (HostList list), (list))
HUDDLE_FAULTY(int, slurm_load_node, SLURM_ERROR,
              (time_t since, node_info_msg_t** nodes, uint16_t flags), (since, nodes, flags))
HUDDLE_FAULTY(int, slurm_load_partitions, SLURM_ERROR,
              (time_t since, partition_info_msg_t** partitions, uint16_t flags),
              (since, partitions, flags))

HUDDLE_FAULTY(int, slurm_load_ctl_conf, SLURM_ERROR, (time_t since, slurm_conf_t** configuration),
              (since, configuration))
HUDDLE_FAULTY(int, slurm_load_assoc_mgr_info, SLURM_ERROR,
              (assoc_mgr_info_request_msg_t * request, assoc_mgr_info_msg_t** message),
              (request, message))
HUDDLE_FAULTY(int, slurm_job_will_run2, SLURM_ERROR,
              (job_desc_msg_t * description, will_run_response_msg_t** response),
              (description, response))

spank_err_t __real_spank_get_item(spank_t spank, spank_item_t item, ...);
spank_err_t __wrap_spank_get_item(spank_t spank, spank_item_t item, ...);
spank_err_t __wrap_spank_get_item(spank_t spank, spank_item_t item, ...) {
  if (fails("spank_get_item")) return ESPANK_ERROR;
  va_list arguments;
  va_start(arguments, item);
  void* first = va_arg(arguments, void*);
  void* second = va_arg(arguments, void*);  // no item has more
  va_end(arguments);
  return __real_spank_get_item(spank, item, first, second);
}
// NOLINTEND(bugprone-reserved-identifier)
}

#include "profiles/recorder/openmp/runtime_entry.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "profiles/recorder/process/this_process.hpp"

namespace huddle::recorder {
namespace {

link_map* object_of(const void* address) noexcept {
  Dl_info info{};
  void* map = nullptr;
  if (::dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0) return nullptr;
  return static_cast<link_map*>(map);
}

// Recorders of several MPIs may be preloaded: each hands on to the next.
bool is_recorder(const link_map* object) noexcept {
  if (object == nullptr || object->l_name == nullptr) return false;
  const char* const slash = std::strrchr(object->l_name, '/');
  constexpr std::string_view kName = "libhuddle_recorder";
  return std::string_view(slash == nullptr ? object->l_name : slash + 1).starts_with(kName);
}

// To look for symbols in a library that is in the process, and in those that it needs. Looking in a
// link_map without this crashes where the library was not loaded by dlopen().
class Opened {
 public:
  explicit Opened(const char* name) noexcept : handle_(::dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) {}
  Opened(const link_map* object, const char* otherwise) noexcept
      : Opened(object == nullptr ? otherwise : object->l_name) {}
  ~Opened() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  [[nodiscard]] void* find(const char* name) const noexcept {
    return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
  }

 private:
  void* handle_;
};

// Where the library of `entry`'s function lies. The loader's lock is held.
int look_for_extent(dl_phdr_info* object, std::size_t /*size*/, void* argument) noexcept {
  auto& entry = *static_cast<FoundEntry*>(argument);
  const auto function = reinterpret_cast<std::uintptr_t>(entry.function);
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min<std::uintptr_t>(begin, object->dlpi_addr + segment.p_vaddr);
    end = std::max<std::uintptr_t>(end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (function < begin || function >= end) return 0;
  entry.begin = begin;
  entry.end = end;
  return 1;
}

int nothing() {
  return 0;
}

// The answers of the very runtime: another one in the process would take the thread for a new one.
const FoundEntry* entry_of(void* function, const char* library) noexcept {
  auto* const entry = new (std::nothrow) FoundEntry;
  if (entry == nullptr) std::abort();
  entry->function = function;
  dl_iterate_phdr(look_for_extent, entry);
  const link_map* const object = object_of(function);
  const Opened runtime(object, library);
  // The entry is called for as long as the process lives: its library must not go.
  if (object != nullptr)
    static_cast<void>(::dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
  const auto find = [&](const char* name, int (*&answer)()) {
    // What only wraps the entry is no runtime: the next one in the process is meant, or the only
    // one.
    void* found = runtime.find(name);
    if (found == nullptr) found = ::dlsym(RTLD_NEXT, name);
    if (found == nullptr) found = Opened(library).find(name);
    answer = found == nullptr ? nothing : reinterpret_cast<int (*)()>(found);  // NOLINT: dlsym
  };
  find("omp_get_level", entry->runtime.level);
  find("omp_get_thread_num", entry->runtime.thread_number);
  find("omp_get_num_threads", entry->runtime.team_size);
  find("omp_get_max_threads", entry->runtime.most_threads);
  find("omp_get_dynamic", entry->runtime.dynamic);
  return entry;
}

}  // namespace

void* RuntimeEntry::function_for(const void* caller, bool& for_all) const noexcept {
  void* function = ::dlsym(RTLD_NEXT, name_);
  for_all = function != nullptr;
  if (function != nullptr) return function;
  function = Opened(object_of(caller), library_).find(name_);
  // The program itself stands for all libraries that are visible to all: the recorder comes first.
  // A caller that is a recorder itself would get its own.
  if (function != nullptr && !is_recorder(object_of(function))) return function;
  return Opened(library_).find(name_);
}

const FoundEntry& RuntimeEntry::find_first(const void* caller) noexcept {
  OfCaller* free = nullptr;
  for (OfCaller& place : callers_) {
    const void* const known = place.caller.load(std::memory_order_acquire);
    if (known == caller) {
      // Its finder may not have stored what it found yet: then it is looked up once more.
      const FoundEntry* const found = place.found.load(std::memory_order_acquire);
      if (found != nullptr) return *found;
      break;
    }
    const void* none = nullptr;
    if (known == nullptr && place.caller.compare_exchange_strong(none, caller)) {
      free = &place;
      break;
    }
  }
  bool for_all = false;
  void* const function = function_for(caller, for_all);
  if (function == nullptr) {
    say(fmt::format("{} was called, but no runtime of OpenMP in this process has it", name_));
    std::abort();
  }
  const FoundEntry* const entry = entry_of(function, library_);
  if (for_all) known_.store(entry, std::memory_order_release);
  if (free != nullptr) free->found.store(entry, std::memory_order_release);
  return *entry;
}

}  // namespace huddle::recorder

#include "profiles/recorder/openmp/runtime_entries.hpp"

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

void* find_in(std::span<const char* const> libraries, const char* name) noexcept {
  for (const char* const library : libraries)
    if (void* const found = Opened(library).find(name); found != nullptr) return found;
  return nullptr;
}

struct Extent {
  std::uintptr_t address = 0;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// Where the object lies that has the address. The loader's lock is held.
int look_for_extent(dl_phdr_info* object, std::size_t /*size*/, void* argument) noexcept {
  auto& extent = *static_cast<Extent*>(argument);
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    begin = std::min<std::uintptr_t>(begin, object->dlpi_addr + segment.p_vaddr);
    end = std::max<std::uintptr_t>(end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  if (extent.address < begin || extent.address >= end) return 0;
  extent.begin = begin;
  extent.end = end;
  return 1;
}

Extent extent_of(const void* address) noexcept {
  Extent extent{reinterpret_cast<std::uintptr_t>(address)};
  dl_iterate_phdr(look_for_extent, &extent);
  return extent;
}

// A library that is called, or remembered by its place, must not go.
void keep_in_process(const link_map* object) noexcept {
  if (object != nullptr && object->l_name != nullptr && *object->l_name != '\0')
    static_cast<void>(::dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
}

int nothing() {
  return 0;
}

// The answers of the very runtime that `own` is of: another one in the process would take the
// thread for a new one.
OpenMpRuntime answers_of(const void* own, std::span<const char* const> libraries) noexcept {
  const link_map* const object = object_of(own);
  const Opened runtime(object == nullptr ? libraries.front() : object->l_name);
  const auto find = [&](const char* name) {
    // A library that only wraps the entry is no runtime: the next one in the process is meant, or
    // the only one.
    void* found = runtime.find(name);
    if (found == nullptr) found = ::dlsym(RTLD_NEXT, name);
    if (found == nullptr) found = find_in(libraries, name);
    return found == nullptr ? nothing : reinterpret_cast<int (*)()>(found);  // NOLINT: dlsym
  };
  OpenMpRuntime answers;
  answers.level = find("omp_get_level");
  answers.thread_number = find("omp_get_thread_num");
  answers.team_size = find("omp_get_num_threads");
  answers.most_threads = find("omp_get_max_threads");
  answers.dynamic = find("omp_get_dynamic");
  return answers;
}

// Fills `entries` by `find`, which gets a name.
template <class Entries, class Find>
void find_all(Entries& entries, const EntryNames& names, const Find& find) noexcept {
  void* own = find(names.own);
  for (std::size_t i = 0; i < names.entries.size(); ++i) {
    entries[i].function = find(names.entries[i]);
    if (own == nullptr) own = entries[i].function;
    keep_in_process(object_of(entries[i].function));
  }
  keep_in_process(object_of(own));
  OpenMpRuntime runtime = answers_of(own, names.libraries);
  runtime.is_llvm = names.is_llvm;
  const Extent extent = extent_of(own);
  for (FoundEntry& entry : entries) {
    entry.runtime = runtime;
    entry.begin = extent.begin;
    entry.end = extent.end;
  }
}

}  // namespace

const RuntimeEntries::Scope* RuntimeEntries::scope_of_library(const void* caller) const noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  const Scope* scope = of_libraries_.load(std::memory_order_acquire);
  while (scope != nullptr && (address < scope->begin || address >= scope->end)) scope = scope->next;
  return scope;
}

// Null if calls from everywhere don't reach the same.
const RuntimeEntries::Scope* RuntimeEntries::look_up_for_all(std::size_t number) noexcept {
  void* const function = ::dlsym(RTLD_NEXT, names_.entries[number]);
  if (function == nullptr) return nullptr;
  // Another recorder would have to look for the runtime of a library by who calls, and that is this
  // one.
  if (names_.is_llvm && is_recorder(object_of(function)) &&
      ::dlsym(RTLD_DEFAULT, names_.own) == nullptr)
    return nullptr;
  auto* const scope = new (std::nothrow) Scope;
  if (scope == nullptr) std::abort();
  find_all(scope->entries, names_, [](const char* name) { return ::dlsym(RTLD_NEXT, name); });
  const Scope* none = nullptr;
  if (!of_all_.compare_exchange_strong(none, scope, std::memory_order_acq_rel)) {
    delete scope;
    return none;
  }
  // Else it depends on the caller: libraries go on with the runtime that they have begun with.
  if (of_libraries_.load(std::memory_order_acquire) == nullptr)
    for (std::size_t i = 0; i < names_.entries.size(); ++i)
      if (scope->entries[i].function != nullptr)
        known_[i].store(&scope->entries[i], std::memory_order_release);
  return scope;
}

const RuntimeEntries::Scope& RuntimeEntries::look_up_for_library(std::size_t number,
                                                                 const void* caller) noexcept {
  const link_map* const object = object_of(caller);
  if (object == nullptr)
    if (const Scope* const known = of_no_library_.load(std::memory_order_acquire); known != nullptr)
      return *known;
  auto* const scope = new (std::nothrow) Scope;
  if (scope == nullptr) std::abort();
  // The program itself stands for all libraries that are visible to all: the recorder comes first.
  // A caller that is a recorder itself would get its own.
  const Opened library(object == nullptr ? nullptr : object->l_name);
  void* const function = object == nullptr ? nullptr : library.find(names_.entries[number]);
  if (function != nullptr && !is_recorder(object_of(function)))
    find_all(scope->entries, names_, [&](const char* name) { return library.find(name); });
  else
    find_all(scope->entries, names_,
             [&](const char* name) { return find_in(names_.libraries, name); });
  if (object == nullptr) {
    const Scope* none = nullptr;
    if (of_no_library_.compare_exchange_strong(none, scope, std::memory_order_acq_rel))
      return *scope;
    delete scope;
    return *none;
  }
  // Calls that are the last of their function return to the runtime itself.
  const FoundEntry& runtime = scope->entries.front();
  if (runtime.end != 0 && scope_of_library(reinterpret_cast<const void*>(runtime.begin)) == nullptr)
    if (auto* const own = new (std::nothrow) Scope(*scope); own != nullptr)
      add_scope(own, runtime.begin, runtime.end);
  keep_in_process(object);
  const Extent extent = extent_of(caller);
  add_scope(scope, extent.begin, extent.end);
  return *scope;
}

void RuntimeEntries::add_scope(Scope* scope, std::uintptr_t begin, std::uintptr_t end) noexcept {
  scope->begin = begin;
  scope->end = end;
  scope->next = of_libraries_.load(std::memory_order_acquire);
  while (!of_libraries_.compare_exchange_weak(scope->next, scope, std::memory_order_acq_rel)) {
  }
}

const FoundEntry& RuntimeEntries::find_for(std::size_t number, const void* caller) noexcept {
  const Scope* scope = scope_of_library(caller);
  if (scope == nullptr) {
    scope = of_all_.load(std::memory_order_acquire);
    if (scope == nullptr) scope = look_up_for_all(number);
    // A runtime that is visible to all may lack what a newer one has that the library brings along.
    if (scope == nullptr || scope->entries[number].function == nullptr)
      scope = &look_up_for_library(number, caller);
  }
  const FoundEntry& entry = scope->entries[number];
  if (entry.function == nullptr) {
    say(fmt::format("{} was called, but no runtime of OpenMP in this process has it",
                    names_.entries[number]));
    std::abort();
  }
  return entry;
}

}  // namespace huddle::recorder

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "profiles/recorder/openmp/region_hook.hpp"

namespace huddle::recorder {

/// A function of a runtime's interface to compilers, and the runtime that it belongs to.
struct FoundEntry {
  void* function = nullptr;  // null: the runtime has none of that name
  OpenMpRuntime runtime;
  // Where the library of the runtime lies.
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  /// True if the library itself calls.
  [[nodiscard]] bool is_in_library(const void* caller) const {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    return address >= begin && address < end;
  }
};

/// The names of the interface of one kind of runtime.
struct EntryNames {
  std::span<const char* const> entries;
  /// A function of these runtimes that the recorder does not have itself.
  const char* own;
  /// The runtimes to look in where nothing else helps, by their file's names.
  std::span<const char* const> libraries;
  /// As OpenMpRuntime::is_llvm.
  bool is_llvm;
};

/// Finds the functions that calls would have reached without the recorder. Mostly those are the
/// next ones of their names in the process; where a program has loaded its runtime for one library
/// alone (dlopen with RTLD_LOCAL, as Python does), they are those of the library that calls. That
/// is found out once for each library, for all functions together: one runtime's team must not wait
/// at another one's barrier, and a thread of a team may be unable to look anything up, as the one
/// that began the team holds the loader's lock meanwhile (in a static initialiser). A library that
/// has called stays in the process: another one in its place would be taken for it.
class RuntimeEntries {
 public:
  static constexpr std::size_t kMost = 24;

  explicit constexpr RuntimeEntries(const EntryNames& names) : names_(names) {}

  /// `caller`: where the call returns to, or anything else in the library that calls. Safe from any
  /// thread. Ends the process, with one line, if there is no such function: then the call could not
  /// have been made.
  const FoundEntry& find(std::size_t number, const void* caller) noexcept {
    const FoundEntry* const known = known_[number].load(std::memory_order_acquire);
    return known != nullptr ? *known : find_for(number, caller);
  }
  /// The entry that all callers reach; null as long as that is not known, or where it depends on
  /// the caller.
  [[nodiscard]] const FoundEntry* known(std::size_t number) const noexcept {
    return known_[number].load(std::memory_order_acquire);
  }

 private:
  // The runtime that is called from one library, or from all of them.
  struct Scope {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    const Scope* next = nullptr;
    std::array<FoundEntry, kMost> entries{};
  };

  [[gnu::cold]] const FoundEntry& find_for(std::size_t number, const void* caller) noexcept;
  [[nodiscard]] const Scope* scope_of_library(const void* caller) const noexcept;
  const Scope* look_up_for_all(std::size_t number) noexcept;
  const Scope& look_up_for_library(std::size_t number, const void* caller) noexcept;
  void add_scope(Scope* scope, std::uintptr_t begin, std::uintptr_t end) noexcept;

  EntryNames names_;
  std::array<std::atomic<const FoundEntry*>, kMost> known_{};
  // Nothing of these is ever removed.
  std::atomic<const Scope*> of_all_{nullptr};
  std::atomic<const Scope*> of_libraries_{nullptr};
  std::atomic<const Scope*> of_no_library_{nullptr};  // code that was made while the program runs
};

/// True where a tool of the user's has OpenMP's interface for tools, in the runtime that asked last
/// for one: then regions of that runtime are left alone. Safe from any thread.
inline constinit std::atomic<bool> users_tool{false};

/// The address of LLVM's or Intel's runtime of OpenMP in this process; null if none is visible to
/// all libraries. By a function that the recorder does not have itself.
const void* llvm_runtime() noexcept;

}  // namespace huddle::recorder

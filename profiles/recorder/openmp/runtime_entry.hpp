#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiles/recorder/openmp/region_hook.hpp"

namespace huddle::recorder {

/// A function of a runtime's interface to compilers, and the runtime that it belongs to.
struct FoundEntry {
  void* function = nullptr;
  OpenMpRuntime runtime;
  // Where the library of the function lies.
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  /// Whether the library itself calls.
  [[nodiscard]] bool is_in_library(const void* caller) const {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    return address >= begin && address < end;
  }
};

/// Finds the function that a call would have reached without the recorder. Mostly that is the next
/// one of that name in the process; where a program has loaded its runtime for one library alone
/// (dlopen with RTLD_LOCAL, as Python does), it is the one of the library that calls.
class RuntimeEntry {
 public:
  /// `library`: the runtime to look in where nothing else helps.
  explicit constexpr RuntimeEntry(const char* name, const char* library = "libgomp.so.1")
      : name_(name), library_(library) {}

  /// `caller`: where the call returns to. Safe from any thread. Ends the process, with one line, if
  /// there is no such function: then the call could not have been made.
  const FoundEntry& find(const void* caller) noexcept {
    const FoundEntry* const known = known_.load(std::memory_order_acquire);
    return known != nullptr ? *known : find_first(caller);
  }
  /// What all callers reach; null as long as that is not known, or where it depends on the caller.
  [[nodiscard]] const FoundEntry* known() const noexcept {
    return known_.load(std::memory_order_acquire);
  }

 private:
  struct OfCaller {
    std::atomic<const void*> caller{nullptr};
    std::atomic<const FoundEntry*> found{nullptr};
  };
  // Callers that find no place here are looked up each time.
  static constexpr std::size_t kCallers = 16;

  [[gnu::cold]] const FoundEntry& find_first(const void* caller) noexcept;
  [[nodiscard]] void* function_for(const void* caller, bool& for_all) const noexcept;

  const char* name_;
  const char* library_;
  std::atomic<const FoundEntry*> known_{nullptr};
  std::array<OfCaller, kCallers> callers_{};
};

}  // namespace huddle::recorder

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace huddle::recorder {

/// A place in the program that calls an MPI function: the call path, innermost call first.
struct CallSite {
  /// The same in all processes of an executable, wherever it was loaded.
  std::uint64_t id = 0;
  /// "allreduce at halo_exchange+0x2f4a < halo_exchange+0x1b02"; the MPI library's own frames (of
  /// its Fortran interface) and the C library's are left out.
  std::string description;
  /// Its return addresses in this process; the same frames are left out.
  std::vector<std::uintptr_t> addresses;
  /// Number of sites that its CallSites had found before.
  std::uint32_t number = 0;
};

/// Finds out where a call comes from. Unwinding the stack takes microseconds, so it is done once
/// for each place: the next time the same return address stands at the same depth of the stack, it
/// is enough to compare the return addresses further up with those that were found then. One
/// thread's: it looks at that thread's stack.
class CallSites {
 public:
  /// For the thread that calls it.
  CallSites();

  /// Where the wrapper that was called from `return_address`, and whose frame is `frame`
  /// (__builtin_return_address(0), __builtin_frame_address(0)), was called from, for the MPI
  /// function `operation` whose name is `name`. Valid as long as this object. Throws
  /// std::bad_alloc.
  const CallSite& find(std::uint32_t operation, std::string_view name, const void* return_address,
                       const void* frame);

 private:
  // The arguments of find().
  struct Call {
    std::uint32_t operation = 0;
    std::string_view name;
    const void* return_address = nullptr;
    const void* frame = nullptr;
  };
  // A return address, and its place on the stack.
  struct Link {
    const std::uintptr_t* place = nullptr;
    std::uintptr_t address = 0;
  };
  struct Path {
    const void* return_address = nullptr;
    const void* frame = nullptr;
    std::uint32_t operation = 0;
    std::vector<Link> links;
    const CallSite* site = nullptr;

    [[nodiscard]] bool is_of(const Call& call) const {
      return return_address == call.return_address && frame == call.frame &&
             operation == call.operation && holds();
    }

   private:
    [[nodiscard]] bool holds() const;
  };
  struct Walk;

  [[nodiscard]] bool on_own_stack(const void* frame) const;
  const CallSite& find_among_all(std::uint64_t key, const Call& call);
  const CallSite& unwind(const Call& call, Path& path);
  const CallSite& site_of_innermost(const Call& call);
  const CallSite& site_of(std::string_view name, const std::vector<std::uintptr_t>& addresses);

  std::uintptr_t stack_begin_ = 0;
  std::uintptr_t stack_end_ = 0;
  // Paths by a hash of return address, frame and operation.
  std::unordered_map<std::uint64_t, std::vector<Path>> paths_;
  // Recent paths by the same hash, cut short: programs call from the same places again and again.
  static constexpr std::size_t kRecent = 64;
  std::array<const Path*, kRecent> recent_{};
  // Where nothing is unwound. By a hash of return address and operation.
  std::unordered_map<std::uint64_t, const CallSite*> innermost_;
  std::unordered_map<std::uint64_t, std::unique_ptr<CallSite>> sites_;
  std::size_t unwound_ = 0;
};

}  // namespace huddle::recorder

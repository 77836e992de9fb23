#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace huddle {

/// A set of PUs of one node, by the operating system's number (what sched_setaffinity takes).
/// A value type; not safe for concurrent writing.
class PuSet {
 public:
  /// Larger numbers are refused: no node has them, and a hostile file must not cost memory.
  static constexpr std::uint32_t kLimit = 1U << 16U;

  PuSet() = default;

  /// Reads the list form that Linux and hwloc use: "0-3,8". The empty text is the empty set.
  /// Throws Error naming the text if it is not such a list.
  static PuSet parse(std::string_view list);

  /// The PUs this thread may run on now. Throws SystemError.
  static PuSet of_this_thread();

  /// Throws Error if `pu` >= kLimit.
  void add(std::uint32_t pu);
  [[nodiscard]] bool contains(std::uint32_t pu) const;
  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  /// Ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& members() const { return members_; }
  /// The list form, ranges joined: "0-3,8".
  [[nodiscard]] std::string list() const;

  /// Binds the calling thread. Throws SystemError (EINVAL if the node lacks these PUs or they are
  /// not this job's).
  void bind_this_thread() const;

  friend bool operator==(const PuSet&, const PuSet&) = default;

 private:
  std::vector<std::uint32_t> members_;  // ascending, unique
};

}  // namespace huddle

#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "spank_plugin/runtime/packing/pass_guard.hpp"

namespace huddle::runtime {

/// Where a program's loop has no delimiter of MPI (one rank, or ranks that talk elsewhere), a
/// region's own passes take its place: each kBlock passes of it end a group of phases of its own,
/// which has its reference, and goes back for good where it becomes slower than that (PassGuard).
/// How long a block takes is counted from one to the next, with whatever lies between.
///
/// A region does so once it came kAlone times since the last delimiter, and more than twice as
/// often as it ever did between two: then none is to be expected. That ends with the next
/// delimiter, and when another region came kAlone times and this one did not: then its loop is
/// over. Not safe for concurrent use.
class OwnPasses {
 public:
  static constexpr std::uint32_t kAlone = 256;
  static constexpr std::uint32_t kBlock = 32;

  /// `bound`: as PassGuard has it.
  explicit OwnPasses(double bound) : guard_(bound) {}

  /// A region for which something was chosen begins at `now`, in ticks. `periods`: how many periods
  /// of the regions have begun, if that is known: then a block ends with one, since others would be
  /// of different parts of them. 0: it is not known.
  void region_begins(std::uint64_t region, std::uint64_t now, std::uint64_t periods = 0);
  /// A delimiter of MPI ends whatever is under way.
  void delimiter();

  /// True if a region takes a delimiter's place now.
  [[nodiscard]] bool is_delimiter() const { return delimiter_.has_value(); }
  /// True if regions may be packed until the next call of the other two.
  [[nodiscard]] bool packs() const { return packs_; }
  /// A region is packed in the block that is under way.
  void packed() { has_packed_ = true; }
  /// The block that is under way says nothing: something else was done in it.
  void leave_out() { left_out_ = true; }
  /// The number of regions that were delimiters of packed blocks, and of those that went back.
  [[nodiscard]] std::size_t acted_on() const { return acted_on_.size(); }
  [[nodiscard]] std::size_t went_back() const { return went_back_.size(); }

 private:
  /// The number of times that a region came.
  struct Passes {
    std::uint32_t since_delimiter = 0;
    std::uint32_t most_between = 0;  // of two delimiters
    std::uint64_t turn = 0;          // the delimiter's pass in which it came last
    std::uint32_t since_turn = 0;    // how often it came in that
  };

  void block_ends(std::uint64_t took);
  void look();

  PassGuard guard_;
  std::unordered_map<std::uint64_t, Passes> regions_;
  std::optional<std::uint64_t> delimiter_;  // the region that is one
  std::uint64_t turn_ = 0;                  // its passes
  std::uint32_t in_block_ = 0;
  std::uint64_t block_began_ = 0;
  std::uint64_t periods_ = 0;  // at its last pass
  bool packs_ = false;
  bool has_packed_ = false;  // in this block
  bool left_out_ = false;    // this block
  std::unordered_set<std::uint64_t> acted_on_;
  std::unordered_set<std::uint64_t> went_back_;
};

}  // namespace huddle::runtime

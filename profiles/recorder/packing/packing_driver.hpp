#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "profiles/recorder/packing/team_packing.hpp"
#include "profiles/recorder/packing/team_places.hpp"
#include "profiles/vocabulary/environment.hpp"

namespace huddle::recorder {

/// What is done to the teams of a rank whose environment asks for it: what sees its regions calls
/// this at their begin. So far the only one who chooses places is HUDDLE_RUNTIME_SHAKE.
class PackingDriver {
 public:
  /// A driver for the calling thread's teams, if HUDDLE_THREADS is "pack" or HUDDLE_RUNTIME_SHAKE
  /// is "1"; else a null pointer. `libgomp`: whether it is that runtime's regions.
  static std::unique_ptr<PackingDriver> from(const Environment& environment, bool libgomp);

  /// By a thread that begins a region for `team` threads, inside of `level` others: what each of
  /// them is to hand to thread_begins().
  [[nodiscard]] std::uint32_t region_begins(std::uint32_t team, std::uint32_t level) noexcept;
  /// By each thread of the region, before it does anything else.
  void thread_begins(std::uint32_t configuration, std::uint32_t thread) noexcept {
    packing_.follow(configuration, thread);
  }
  /// Outside of regions, by the thread that made this; nothing is packed from here on.
  void finish() noexcept { packing_.end(); }

  /// Before any region: threads are not packed, for a reason.
  void refuse(const std::string& why);
  [[nodiscard]] bool may_pack() const {
    return refusal_.empty() && packing_.ended() == TeamPacking::End::kNone;
  }
  [[nodiscard]] TeamPacking& packing() { return packing_; }
  /// How many regions were begun with another configuration than the one before, by the leader.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  /// A sentence for the user on why threads are not, or no longer, packed; empty if they are.
  [[nodiscard]] std::string note() const;

 private:
  PackingDriver(std::string refusal, std::optional<std::uint64_t> seed);

  TeamPacking packing_;
  std::string refusal_;
  std::optional<RandomPlaces> shake_;
  std::uint64_t changes_ = 0;
};

}  // namespace huddle::recorder

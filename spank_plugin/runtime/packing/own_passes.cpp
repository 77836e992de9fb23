#include "spank_plugin/runtime/packing/own_passes.hpp"

#include <algorithm>

namespace huddle::runtime {
namespace {

// Regions beyond are no delimiters.
constexpr std::size_t kMostRegions = 4096;

}  // namespace

void OwnPasses::region_begins(std::uint64_t region, std::uint64_t now, std::uint64_t periods) {
  if (regions_.size() >= kMostRegions && regions_.count(region) == 0) return;
  Passes& passes = regions_[region];
  if (passes.since_delimiter < UINT32_MAX) ++passes.since_delimiter;
  if (delimiter_ && *delimiter_ != region) {
    if (passes.turn != turn_) {
      passes.turn = turn_;
      passes.since_turn = 0;
    }
    if (++passes.since_turn <= kAlone) return;
    delimiter_.reset();  // the loop that it was in is over
    packs_ = false;
  }
  if (!delimiter_) {
    if (passes.since_delimiter <= kAlone || passes.since_delimiter / 2 <= passes.most_between)
      return;
    delimiter_ = region;
    ++turn_;
    in_block_ = 0;
    block_began_ = now;
    periods_ = periods;
    has_packed_ = left_out_ = false;
    look();
    return;
  }
  ++turn_;
  const bool may_end = periods == 0 || periods != periods_;
  periods_ = periods;
  if (++in_block_ < kBlock || !may_end) return;
  block_ends(now - block_began_);
  in_block_ = 0;
  block_began_ = now;
  has_packed_ = left_out_ = false;
  look();
}

void OwnPasses::block_ends(std::uint64_t took) {
  if (left_out_) return;
  const Seconds time{static_cast<double>(took)};  // in ticks, as all of them
  if (!has_packed_) return guard_.measured(*delimiter_, time);
  acted_on_.insert(*delimiter_);
  if (!guard_.acted_on(*delimiter_, time)) went_back_.insert(*delimiter_);
}

void OwnPasses::look() {
  packs_ = guard_.is_known(*delimiter_) && !guard_.is_back(*delimiter_);
}

void OwnPasses::delimiter() {
  for (auto& one : regions_) {
    Passes& passes = one.second;
    passes.most_between = std::max(passes.most_between, passes.since_delimiter);
    passes.since_delimiter = 0;
  }
  delimiter_.reset();
  packs_ = false;
}

}  // namespace huddle::runtime

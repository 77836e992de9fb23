#include "aggregator/render/heatmap/pair_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace huddle::render {
namespace {

std::string scaled(std::uint64_t value, double step, std::span<const char* const> units) {
  double rest = static_cast<double>(value) / step;
  std::size_t unit = 0;
  for (; rest >= step && unit + 1 < units.size(); ++unit) rest /= step;
  return fmt::format("{:.1f} {}", rest, units[unit]);
}

}  // namespace

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  return bytes < 1024 ? fmt::format("{} B", bytes) : scaled(bytes, 1024, kUnits);
}

std::string human_count(std::uint64_t count) {
  constexpr std::array kUnits = {"k", "M", "G", "T", "P", "E"};
  return count < 10000 ? std::to_string(count) : scaled(count, 1000, kUnits);
}

std::string_view words_for(PairMatrix traffic) {
  for (const PairMatrixName& name : kPairMatrixNames)
    if (name.traffic == traffic) return name.words;
  return {};
}

PairMatrixTotals totals_of(const Profile& profile, PairMatrix traffic) {
  PairMatrixTotals totals;
  for_each_transfer(profile, traffic, [&](const Transfer& transfer) {
    totals.messages += transfer.messages;
    totals.bytes += transfer.bytes;
  });
  return totals;
}

BinnedMatrix binned_matrix(const Profile& profile, PairMatrix traffic, commgraph::Weight weight,
                           std::uint32_t most_bins) {
  BinnedMatrix matrix;
  matrix.ranks = profile.ranks;
  matrix.ranks_per_bin = (profile.ranks - 1) / most_bins + 1;
  matrix.bins = (profile.ranks - 1) / matrix.ranks_per_bin + 1;
  matrix.sums.resize(std::size_t{matrix.bins} * matrix.bins);
  for_each_transfer(profile, traffic, [&](const Transfer& transfer) {
    const std::size_t row = transfer.from.value / matrix.ranks_per_bin;
    std::uint64_t& sum = matrix.sums[row * matrix.bins + transfer.to.value / matrix.ranks_per_bin];
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - sum;
    sum += std::min(transfer.measured_in(weight), room);
  });
  for (const std::uint64_t sum : matrix.sums) {
    if (sum == 0) continue;
    matrix.least = matrix.least == 0 ? sum : std::min(matrix.least, sum);
    matrix.most = std::max(matrix.most, sum);
  }
  return matrix;
}

}  // namespace huddle::render

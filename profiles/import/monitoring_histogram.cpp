#include "profiles/import/monitoring_histogram.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "profiles/vocabulary/size_class.hpp"

namespace huddle {
namespace {

constexpr std::size_t kMostCounts = 66;
// Beyond, sizes and their sums are no longer exact in a double.
constexpr unsigned kLargestClass = 48;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 53U;

// Open MPI takes the logarithm of a size in floating point, and so some powers of two are counted
// in the class below: 8 bytes, for instance.
std::uint64_t largest_counted_in(unsigned size_class) {
  return size_class == 0 ? 0 : largest_of_class(size_class) + 1;
}

// The class of what was counted in class k.
std::uint8_t class_of(std::uint64_t messages, std::uint64_t bytes, unsigned k) {
  return static_cast<std::uint8_t>(k > 0 && bytes / messages > largest_of_class(k) ? k + 1 : k);
}

void add(std::vector<SentMessages>& cells, const SentMessages& cell) {
  if (cells.empty() || cells.back().size_class != cell.size_class) return cells.push_back(cell);
  cells.back().messages += cell.messages;
  cells.back().bytes += cell.bytes;
}

}  // namespace

std::optional<MonitoringHistogram> MonitoringHistogram::parse(std::string_view text) {
  MonitoringHistogram histogram;
  const char* at = text.data();
  const char* end = at + text.size();
  while (histogram.counts_.size() < kMostCounts) {
    std::uint64_t count = 0;
    const auto [stop, failure] = std::from_chars(at, end, count);
    // So that their sum fits into 64 bits.
    if (failure != std::errc{} || count > kMostBytes) return std::nullopt;
    histogram.counts_.push_back(count);
    if (stop == end) return histogram;
    if (*stop != ',') return std::nullopt;
    at = stop + 1;
  }
  return std::nullopt;
}

std::uint64_t MonitoringHistogram::messages() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::vector<SentMessages> MonitoringHistogram::messages_of(Rank receiver, Bytes bytes) const {
  double least = 0;
  double most = 0;
  for (unsigned k = 0; k < counts_.size(); ++k) {
    if (counts_[k] == 0) continue;
    if (k > kLargestClass) return {};
    const auto count = static_cast<double>(counts_[k]);
    least += count * static_cast<double>(smallest_of_class(k));
    most += count * static_cast<double>(largest_counted_in(k));
  }
  const auto sum = static_cast<double>(bytes.value);
  if (sum < least || sum > most || bytes.value > kMostBytes) return {};
  const double way = most > least ? (sum - least) / (most - least) : 0;

  std::vector<SentMessages> cells;
  std::uint64_t left = bytes.value;
  for (unsigned k = 0; k < counts_.size(); ++k) {
    if (counts_[k] == 0) continue;
    const auto smallest = static_cast<double>(smallest_of_class(k));
    const double mean = smallest + way * (static_cast<double>(largest_counted_in(k)) - smallest);
    const auto share = static_cast<std::uint64_t>(static_cast<double>(counts_[k]) * mean);
    const std::uint64_t given = std::min(share, left);
    add(cells, {receiver, class_of(counts_[k], given, k), counts_[k], Bytes{given}});
    left -= given;
  }
  // What rounding left over belongs to some class; in the largest it is the least part.
  if (left > 0 && (cells.empty() || cells.back().size_class == 0)) return {};
  if (left > 0) cells.back().bytes += Bytes{left};
  return cells;
}

}  // namespace huddle

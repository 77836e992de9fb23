#include "aggregator/predict/communication/collective_table.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace huddle::predict {
namespace {

double apart(std::uint32_t a, std::uint32_t b) {
  return std::abs(std::log2(static_cast<double>(a) / b));
}

// Returns the factor by which a call takes longer among more ranks.
double growth(std::uint32_t from, std::uint32_t to, bool with_everyone) {
  return with_everyone ? (to - 1.0) / (from - 1.0) : std::log2(to) / std::log2(from);
}

// Returns the ranks on a node of equally filled nodes if as much crosses its border: the smaller
// root of x (ranks - x) = crossing.
double as_if_even(const RankSpread& spread) {
  if (spread.nodes < 2) return spread.ranks_per_node;
  const double ranks = spread.ranks;
  const double crossing = static_cast<double>(spread.crossing);
  const double root = std::sqrt(std::max(ranks * ranks - 4 * crossing, 0.0));
  return std::min((ranks - root) / 2, static_cast<double>(spread.ranks_per_node));
}

}  // namespace

bool exchanges_with_everyone(std::string_view operation) {
  return operation.find("alltoall") != std::string_view::npos;
}

CollectiveTable::CollectiveTable(const Machine& machine, const MessageTable& messages) {
  for (const CollectiveTimes& entry : machine.collectives) {
    const Pattern pattern = Pattern::parse(entry.pattern);
    const bool crosses = entry.ranks > pattern.ranks_per_node();
    std::vector<Family>& families = operations_[entry.operation];
    auto family = std::find_if(families.begin(), families.end(), [&](const Family& known) {
      return known.pattern == pattern && known.crosses_nodes == crosses;
    });
    if (family == families.end()) {
      const LinkTime& link = messages.link(crosses ? Distance::kNetwork : Distance::kNode);
      family = families.insert(family, {pattern, crosses, link, {}});
    }
    family->rows.push_back({entry.ranks, TimeCurve(entry.times, family->link)});
  }
  for (auto& [operation, families] : operations_)
    for (Family& family : families)
      std::sort(family.rows.begin(), family.rows.end(),
                [](const Row& a, const Row& b) { return a.ranks < b.ranks; });
}

const std::vector<CollectiveTable::Family>* CollectiveTable::families_of(
    std::string_view operation) const {
  const auto find = [&](std::string_view name) {
    const auto found = operations_.find(name);
    return found == operations_.end() ? nullptr : &found->second;
  };
  const std::string_view blocking = operation.starts_with('i') ? operation.substr(1) : operation;
  for (std::string_view name : {operation, blocking}) {
    if (const auto* families = find(name)) return families;
    if (!name.ends_with('v') && !name.ends_with('w')) continue;
    name.remove_suffix(1);
    if (const auto* families = find(name)) return families;
  }
  return nullptr;
}

std::pair<const CollectiveTable::Family*, const CollectiveTable::Family*> CollectiveTable::around(
    const std::vector<Family>& families, const RankSpread& spread, double ranks_per_node) {
  const auto key = [&](const Family& family) {
    const Pattern& pattern = family.pattern;
    return std::tuple(std::abs(std::log2(pattern.ranks_per_node() / ranks_per_node)),
                      apart(pattern.packages, spread.pattern.packages) +
                          apart(pattern.dies_per_package(), spread.pattern.dies_per_package()) +
                          apart(pattern.ranks_per_die(), spread.pattern.ranks_per_die()),
                      pattern);
  };
  const auto nearest = [&](auto&& counts) {
    const Family* best = nullptr;
    for (const Family& family : families)
      if (family.crosses_nodes == (spread.nodes > 1) && counts(family.pattern.ranks_per_node()) &&
          (best == nullptr || key(family) < key(*best)))
        best = &family;
    return best;
  };
  const Family* below = nearest([&](std::uint32_t ranks) { return ranks <= ranks_per_node; });
  const Family* above = nearest([&](std::uint32_t ranks) { return ranks >= ranks_per_node; });
  return {below != nullptr ? below : above, above != nullptr ? above : below};
}

TimeCurve CollectiveTable::among(const Family& family, std::uint32_t participants,
                                 bool with_everyone) {
  // Returns the factor from a rank's contribution among so many to the row's, if its part for each
  // other one is the same.
  const auto share = [&](const Row& row) {
    return with_everyone ? static_cast<double>(row.ranks) / participants : 1.0;
  };
  const auto sizes = [&](const Row& row) {
    std::vector<double> scaled = row.curve.sizes();
    for (double& bytes : scaled) bytes /= share(row);
    return scaled;
  };
  const auto above = std::find_if(family.rows.begin(), family.rows.end(),
                                  [&](const Row& row) { return row.ranks >= participants; });
  if (above != family.rows.end() && above->ranks == participants) return above->curve;
  if (above == family.rows.begin() || above == family.rows.end()) {
    const Row& row = above == family.rows.begin() ? family.rows.front() : family.rows.back();
    const double factor = growth(row.ranks, participants, with_everyone);
    return {sizes(row),
            [&](double bytes) { return factor * row.curve.seconds(bytes * share(row)); },
            family.link};
  }
  const Row& high = *above;
  const Row& low = *(above - 1);
  const double way = std::log2(static_cast<double>(participants) / low.ranks) /
                     std::log2(static_cast<double>(high.ranks) / low.ranks);
  const auto seconds_at = [&](double bytes) {
    return std::pow(low.curve.seconds(bytes * share(low)), 1 - way) *
           std::pow(high.curve.seconds(bytes * share(high)), way);
  };
  return {sizes_of_both(sizes(low), sizes(high)), seconds_at, family.link};
}

std::optional<TimeCurve> CollectiveTable::curve(std::string_view operation,
                                                const RankSpread& spread,
                                                std::uint32_t participants) const {
  const std::vector<Family>* families = families_of(operation);
  if (families == nullptr) return std::nullopt;
  const bool with_everyone = exchanges_with_everyone(operation);
  const double ranks_per_node = with_everyone ? as_if_even(spread) : spread.ranks_per_node;
  const auto [below, above] = around(*families, spread, ranks_per_node);
  if (below == nullptr) return std::nullopt;
  const TimeCurve low = among(*below, participants, with_everyone);
  const double fewer = below->pattern.ranks_per_node();
  const double more = above->pattern.ranks_per_node();
  if (fewer == more) return low;
  const TimeCurve high = among(*above, participants, with_everyone);
  const double way = std::log2(ranks_per_node / fewer) / std::log2(more / fewer);
  return TimeCurve(
      sizes_of_both(low.sizes(), high.sizes()),
      [&](double bytes) {
        return std::pow(low.seconds(bytes), 1 - way) * std::pow(high.seconds(bytes), way);
      },
      below->link);
}

}  // namespace huddle::predict

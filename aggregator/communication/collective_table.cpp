#include "aggregator/communication/collective_table.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace huddle {
namespace {

double apart(std::uint32_t a, std::uint32_t b) {
  return std::abs(std::log2(static_cast<double>(a) / b));
}

// By how much a call takes longer among more ranks.
double growth(std::uint32_t from, std::uint32_t to, bool with_everyone) {
  return with_everyone ? (to - 1.0) / (from - 1.0) : std::log2(to) / std::log2(from);
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

const CollectiveTable::Family* CollectiveTable::nearest(const std::vector<Family>& families,
                                                        const RankSpread& spread) {
  const auto key = [&](const Family& family) {
    const Pattern& pattern = family.pattern;
    return std::tuple(apart(pattern.ranks_per_node(), spread.ranks_per_node),
                      apart(pattern.packages, spread.pattern.packages) +
                          apart(pattern.dies, spread.pattern.dies) +
                          apart(pattern.cores, spread.pattern.cores),
                      pattern);
  };
  const Family* best = nullptr;
  for (const Family& family : families)
    if (family.crosses_nodes == (spread.nodes > 1) && (best == nullptr || key(family) < key(*best)))
      best = &family;
  return best;
}

TimeCurve CollectiveTable::among(const Family& family, std::uint32_t participants,
                                 bool with_everyone) {
  // What a rank contributes among that many, if its part for each other one is the same.
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
  const Family* family = families == nullptr ? nullptr : nearest(*families, spread);
  if (family == nullptr) return std::nullopt;
  return among(*family, participants, exchanges_with_everyone(operation));
}

}  // namespace huddle

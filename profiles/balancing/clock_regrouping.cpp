#include "profiles/balancing/clock_regrouping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "profiles/balancing/clock_choice.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::balancing {
namespace {

using Cores = std::vector<std::uint32_t>;

double power_of(Hertz clock, Hertz top) {
  const double share = clock / top;
  return share * share * share;
}

double clocks_of(const std::vector<Cores>& ranks_of, const std::vector<Hertz>& needed, Hertz top) {
  double sum = 0;
  for (const Cores& ranks : ranks_of) {
    Hertz clock;
    for (const std::uint32_t rank : ranks) clock = std::max(clock, needed[rank]);
    if (!ranks.empty()) sum += static_cast<double>(ranks.size()) * power_of(clock, top);
  }
  return sum;
}

/// Sorted ranks, cut into blocks as large as the domains in this order. Where several domains are
/// as large, the block goes to that of them which most of its ranks are on already.
std::vector<Cores> filled(const Cores& sorted, const std::vector<Cores>& cores_of,
                          const std::vector<std::uint32_t>& order,
                          std::span<const std::uint32_t> domain_index) {
  std::vector<Cores> result(cores_of.size());
  std::vector<bool> taken(cores_of.size(), false);
  std::size_t begin = 0;
  for (const std::uint32_t place : order) {
    const std::size_t size = cores_of[place].size();
    const Cores block(sorted.begin() + static_cast<std::ptrdiff_t>(begin),
                      sorted.begin() + static_cast<std::ptrdiff_t>(begin + size));
    begin += size;
    std::vector<std::size_t> there(cores_of.size(), 0);
    for (const std::uint32_t rank : block) ++there[domain_index[rank]];
    std::size_t best = cores_of.size();
    for (std::size_t domain = 0; domain < cores_of.size(); ++domain)
      if (!taken[domain] && cores_of[domain].size() == size &&
          (best == cores_of.size() || there[domain] > there[best]))
        best = domain;
    taken[best] = true;
    result[best] = block;
  }
  return result;
}

/// Who stays in its domain stays on its core; the others take what is free.
void seat(const std::vector<Cores>& ranks_of, const std::vector<Cores>& cores_of,
          std::span<const std::uint32_t> domain_index, ClockRegrouping& result) {
  for (std::size_t domain = 0; domain < cores_of.size(); ++domain) {
    Cores free = cores_of[domain];
    for (const std::uint32_t rank : ranks_of[domain]) {
      if (domain_index[rank] != domain) continue;
      result.core_of[rank] = rank;
      std::erase(free, rank);
    }
    auto next = free.begin();
    for (const std::uint32_t rank : ranks_of[domain])
      if (domain_index[rank] != domain) {
        result.core_of[rank] = *next++;
        ++result.moved;
      }
  }
}

}  // namespace

ClockRegrouping regroup_by_load(std::span<const Workload> work,
                                std::span<const std::uint32_t> domain_of, Seconds length,
                                const ClockSteps& steps) {
  if (work.size() != domain_of.size())
    throw Error(fmt::format("{} workloads and {} domains of cores; expected: as many", work.size(),
                            domain_of.size()));
  std::map<std::uint32_t, std::uint32_t> index;
  for (const std::uint32_t domain : domain_of)
    index.emplace(domain, static_cast<std::uint32_t>(index.size()));
  Cores domain_index(work.size());
  std::vector<Cores> cores_of(index.size());
  std::vector<Hertz> needed(work.size());
  for (std::uint32_t rank = 0; rank < work.size(); ++rank) {
    domain_index[rank] = index[domain_of[rank]];
    cores_of[domain_index[rank]].push_back(rank);
    needed[rank] = least_clock(work[rank], length, steps);
  }

  Cores sorted(work.size());
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
    return needed[a] > needed[b] || (needed[a] == needed[b] && domain_index[a] < domain_index[b]);
  });
  std::vector<std::uint32_t> order(cores_of.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return cores_of[a].size() < cores_of[b].size();
  });

  ClockRegrouping result;
  result.core_of.resize(work.size());
  result.clocks_before = clocks_of(cores_of, needed, steps.most());
  std::vector<Cores> best = cores_of;
  result.clocks_after = result.clocks_before;
  for (int turn = 0; turn < 2; ++turn) {
    const std::vector<Cores> tried = filled(sorted, cores_of, order, domain_index);
    const double clocks = clocks_of(tried, needed, steps.most());
    if (clocks < result.clocks_after - 1e-12) {
      result.clocks_after = clocks;
      best = tried;
    }
    std::reverse(order.begin(), order.end());
  }
  seat(best, cores_of, domain_index, result);
  return result;
}

}  // namespace huddle::balancing

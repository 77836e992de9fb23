#include "aggregator/forecast/sizes/detail/predicted_phases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace huddle {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

const PhaseRecord* phase_of(const RankRecord& record, std::uint64_t group) {
  const auto found = std::lower_bound(
      record.phases.begin(), record.phases.end(), group,
      [](const PhaseRecord& phase, std::uint64_t wanted) { return phase.group < wanted; });
  return found != record.phases.end() && found->group == group ? &*found : nullptr;
}

double passes_of(const PhaseRecord& phase) {
  return static_cast<double>(phase.count);
}

auto per_pass(Seconds PhaseRecord::*sum) {
  return [sum](const PhaseRecord& phase) { return (phase.*sum).value / passes_of(phase); };
}

// One group in the runs that have it.
class GroupBySize {
 public:
  GroupBySize(const RunsOfLayout& runs, std::uint64_t group, double target)
      : group_(group), ranks_(runs.profiles.front()->ranks) {
    for (std::size_t run = 0; run < runs.profiles.size(); ++run) {
      std::vector<const PhaseRecord*> by_rank;
      for (const RankRecord& record : runs.profiles[run]->rank_records)
        by_rank.push_back(phase_of(record, group));
      if (std::none_of(by_rank.begin(), by_rank.end(), [](auto* phase) { return phase; })) continue;
      phases_.push_back(std::move(by_rank));
      records_.push_back(&runs.profiles[run]->rank_records);
      sizes_.push_back(runs.sizes[run]);
    }
    by_size_.emplace(sizes_, target, ranks_);
  }

  // Of all ranks that have it; `counts` is that of the ranks.
  [[nodiscard]] std::vector<PhaseRecord> predicted(const std::vector<double>& counts,
                                                   const std::vector<std::string>& events) const {
    const auto mean = each([](const PhaseRecord& phase) { return phase.mean.value; });
    const auto in_mpi = each(per_pass(&PhaseRecord::mpi_time));
    const auto delimiter = each(per_pass(&PhaseRecord::delimiter_time));
    std::vector<PhaseRecord> found(ranks_);
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
      const PhaseRecord* const like = nearest(rank);
      if (like == nullptr || counts[rank] < 1) continue;
      PhaseRecord& phase = found[rank] = scaled(*like, mean[rank], counts[rank]);
      phase.mpi_time = Seconds{passes_of(phase) * in_mpi[rank]};
      phase.delimiter_time = Seconds{passes_of(phase) * delimiter[rank]};
    }
    for (const std::string& event : events) add_counts(event, found);
    return found;
  }

 private:
  // Of a pass, by rank; in the mean over ranks each pass counts as much.
  template <class Value>
  [[nodiscard]] std::vector<double> each(Value&& value_of) const {
    return by_size_->by_rank(
        [&](std::size_t run, std::uint32_t rank) {
          const PhaseRecord* const phase = phases_[run][rank];
          return phase != nullptr && phase->count > 0 ? value_of(*phase) : kUnknown;
        },
        [&](std::size_t run, std::uint32_t rank) { return passes_of(*phases_[run][rank]); });
  }

  [[nodiscard]] const PhaseRecord* nearest(std::uint32_t rank) const {
    const std::size_t run = by_size_->nearest_run();
    if (phases_[run][rank] != nullptr) return phases_[run][rank];
    for (const auto& by_rank : phases_)
      if (by_rank[rank] != nullptr) return by_rank[rank];
    return nullptr;
  }

  // Passes differ from each other as much as in the nearest run, and as many of them are counted.
  [[nodiscard]] PhaseRecord scaled(const PhaseRecord& like, double mean, double count) const {
    const double factor = like.mean > Seconds{0} ? mean / like.mean.value : 1;
    const double counted = like.count > 0 ? static_cast<double>(like.counted) / passes_of(like) : 0;
    PhaseRecord phase;
    phase.group = group_;
    phase.count = static_cast<std::uint64_t>(std::llround(count));
    phase.mean = Seconds{mean};
    phase.variance_s2 = like.variance_s2 * factor * factor;
    phase.shortest = std::min(like.shortest * factor, phase.mean);
    phase.longest = std::max(like.longest * factor, phase.mean);
    phase.counted =
        std::min(static_cast<std::uint64_t>(std::llround(count * counted)), phase.count);
    if (like.counted > 0 && phase.counted == 0) phase.counted = 1;
    if (like.counted > 0)
      phase.counted_time = like.counted_time * (factor * static_cast<double>(phase.counted) /
                                                static_cast<double>(like.counted));
    return phase;
  }

  void add_counts(const std::string& event, std::vector<PhaseRecord>& found) const {
    const auto of_pass = by_size_->by_rank([&](std::size_t run, std::uint32_t rank) {
      const PhaseRecord* const phase = phases_[run][rank];
      const auto& names = (*records_[run])[rank].events;
      const auto place =
          static_cast<std::size_t>(std::find(names.begin(), names.end(), event) - names.begin());
      if (phase == nullptr || phase->counted == 0 || place >= phase->counts.size()) return kUnknown;
      return phase->counts[place] / static_cast<double>(phase->counted);
    });
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      if (found[rank].counted > 0)
        found[rank].counts.push_back(of_pass[rank] * static_cast<double>(found[rank].counted));
  }

  std::uint64_t group_;
  std::uint32_t ranks_;
  std::vector<std::vector<const PhaseRecord*>> phases_;  // by run and rank
  std::vector<const std::vector<RankRecord>*> records_;
  std::vector<double> sizes_;
  std::optional<TimesBySize> by_size_;
};

// How often each rank goes through it; a run without it went through it never.
std::vector<double> counts_of(const RunsOfLayout& runs, std::uint64_t group,
                              const CountsBySize& by_size) {
  std::vector<double> counts;
  for (std::size_t rank = 0; rank < runs.profiles.front()->rank_records.size(); ++rank) {
    std::vector<double> by_run;
    for (const Profile* profile : runs.profiles) {
      const PhaseRecord* const phase = phase_of(profile->rank_records[rank], group);
      by_run.push_back(phase == nullptr ? 0 : static_cast<double>(phase->count));
    }
    counts.push_back(std::round(by_size.at_target(by_run)));
  }
  return counts;
}

}  // namespace

std::vector<std::uint64_t> groups_of_several_sizes(const RunsOfLayout& runs) {
  std::map<std::uint64_t, std::set<double>> sizes;
  for (std::size_t run = 0; run < runs.profiles.size(); ++run)
    for (const RankRecord& record : runs.profiles[run]->rank_records)
      for (const PhaseRecord& phase : record.phases)
        if (phase.count > 0) sizes[phase.group].insert(runs.sizes[run]);
  std::vector<std::uint64_t> groups;
  for (const auto& [group, of_group] : sizes)
    if (of_group.size() > 1) groups.push_back(group);
  return groups;
}

Seconds time_outside(const std::vector<std::uint64_t>& groups, const RankRecord& record) {
  Seconds inside;
  for (const PhaseRecord& phase : record.phases)
    if (std::binary_search(groups.begin(), groups.end(), phase.group))
      inside += phase.mean * static_cast<double>(phase.count);
  return std::max(record.computation_time() - inside, Seconds{0});
}

std::vector<std::vector<PhaseRecord>> predicted_phases(const RunsOfLayout& runs, double target,
                                                       const std::vector<std::string>& events) {
  const CountsBySize counts(runs.sizes, target);
  std::vector<std::vector<PhaseRecord>> found(runs.profiles.front()->rank_records.size());
  for (const std::uint64_t group : groups_of_several_sizes(runs)) {
    const std::vector<PhaseRecord> by_rank =
        GroupBySize(runs, group, target).predicted(counts_of(runs, group, counts), events);
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
      if (by_rank[rank].count > 0) found[rank].push_back(by_rank[rank]);
  }
  return found;
}

}  // namespace huddle

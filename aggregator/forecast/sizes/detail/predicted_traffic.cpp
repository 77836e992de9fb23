#include "aggregator/forecast/sizes/detail/predicted_traffic.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "profiles/vocabulary/size_class.hpp"

namespace huddle {
namespace {

// What messages (or contributions to collectives) of one size class come to.
struct ClassSum {
  double count = 0;
  double bytes = 0;
  double time = 0;
  double shortest = 0;  // 0: not known
};

// Of each run, from the smallest class on.
using ClassesByRun = std::vector<std::vector<ClassSum>>;

std::uint64_t whole(double value) {
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::llround(std::clamp(value, 0.0, kMost)));
}

// As many kinds of messages as most runs have; of two such numbers the one of larger sizes.
std::size_t usual_kinds(const ClassesByRun& by_run) {
  std::map<std::size_t, std::size_t> runs;
  std::size_t usual = 0;
  for (const std::vector<ClassSum>& classes : by_run)
    if (!classes.empty() && ++runs[classes.size()] >= runs[usual]) usual = classes.size();
  return usual;
}

std::vector<ClassSum> all_in_one(const std::vector<ClassSum>& classes) {
  if (classes.empty()) return {};
  ClassSum sum;
  for (const ClassSum& one : classes) {
    sum.count += one.count;
    sum.bytes += one.bytes;
    sum.time += one.time;
    sum.shortest = sum.shortest > 0 ? std::min(sum.shortest, one.shortest) : one.shortest;
  }
  return {sum};
}

// What `classes_of_runs` say of one kind of message at the target.
class KindsBySize {
 public:
  KindsBySize(const std::vector<double>& sizes, double target, const CountsBySize& all)
      : sizes_(sizes), target_(target), all_(all) {}

  [[nodiscard]] std::vector<ClassSum> predicted(ClassesByRun by_run) const {
    std::size_t kinds = usual_kinds(by_run);
    std::vector<std::size_t> runs = runs_of_kinds(by_run, kinds);
    // Runs that have that many are of one size only: then all kinds count as one.
    if (sizes_[runs.front()] == sizes_[runs.back()]) {
      for (std::vector<ClassSum>& classes : by_run) classes = all_in_one(classes);
      kinds = 1;
      runs = runs_of_kinds(by_run, kinds);
    }
    std::optional<CountsBySize> of_some;
    if (runs.size() < sizes_.size()) {
      std::vector<double> sizes;
      for (const std::size_t run : runs) sizes.push_back(sizes_[run]);
      of_some.emplace(sizes, target_);
    }
    std::vector<ClassSum> found;
    for (std::size_t kind = 0; kind < kinds; ++kind)
      found.push_back(predicted(by_run, runs, kind, of_some ? *of_some : all_));
    return found;
  }

 private:
  // Runs without any such messages belong to all.
  static std::vector<std::size_t> runs_of_kinds(const ClassesByRun& by_run, std::size_t kinds) {
    std::vector<std::size_t> runs;
    for (std::size_t run = 0; run < by_run.size(); ++run)
      if (by_run[run].empty() || by_run[run].size() == kinds) runs.push_back(run);
    return runs;
  }

  // How many there are, and what each is like; in runs without any, as in the run before.
  static ClassSum predicted(const ClassesByRun& by_run, const std::vector<std::size_t>& runs,
                            std::size_t kind, const CountsBySize& counts) {
    const auto some = std::find_if(runs.begin(), runs.end(),
                                   [&](std::size_t run) { return !by_run[run].empty(); });
    ClassSum like = by_run[*some][kind];
    std::vector<double> numbers;
    std::vector<double> bytes;
    std::vector<double> times;
    std::vector<double> shortest;
    for (const std::size_t run : runs) {
      if (!by_run[run].empty()) like = by_run[run][kind];
      const double number = std::max(like.count, 1.0);
      numbers.push_back(by_run[run].empty() ? 0 : like.count);
      bytes.push_back(like.bytes / number);
      times.push_back(like.time / number);
      shortest.push_back(like.shortest);
    }
    ClassSum found;
    found.count = std::round(counts.at_target(numbers));
    found.bytes = found.count * counts.at_target(bytes);
    found.time = found.count * counts.at_target(times);
    found.shortest = counts.at_target(shortest);
    return found;
  }

  const std::vector<double>& sizes_;
  double target_;
  const CountsBySize& all_;
};

std::uint8_t class_of(const ClassSum& sum) {
  if (whole(sum.bytes) == 0) return 0;
  return std::max<std::uint8_t>(size_class_of(whole(sum.bytes / sum.count)), 1);
}

using Messages = std::vector<SentMessages> RankRecord::*;

std::vector<SentMessages> messages_at(const RunsOfLayout& runs, std::size_t rank, Messages kind,
                                      const KindsBySize& by_size) {
  const std::size_t count = runs.profiles.size();
  std::map<Rank, ClassesByRun> receivers;
  for (std::size_t run = 0; run < count; ++run)
    for (const SentMessages& cell : runs.profiles[run]->rank_records[rank].*kind) {
      ClassesByRun& by_run = receivers[cell.receiver];
      by_run.resize(count);
      by_run[run].push_back(
          {static_cast<double>(cell.messages), static_cast<double>(cell.bytes.value), 0, 0});
    }
  std::vector<SentMessages> found;
  for (auto& [receiver, by_run] : receivers) {
    std::map<std::uint8_t, SentMessages> classes;
    for (const ClassSum& sum : by_size.predicted(std::move(by_run))) {
      if (sum.count < 1) continue;
      const std::uint8_t size_class = class_of(sum);
      SentMessages& cell = classes[size_class];
      cell.receiver = receiver;
      cell.size_class = size_class;
      cell.messages += whole(sum.count);
      cell.bytes += Bytes{whole(sum.bytes)};
    }
    for (const auto& [size_class, cell] : classes) found.push_back(cell);
  }
  return found;
}

// All but the size class.
using CollectiveKey = std::tuple<std::string, std::string, std::uint32_t, std::uint64_t>;

std::vector<CollectiveCalls> collectives_at(const RunsOfLayout& runs, std::size_t rank,
                                            const KindsBySize& by_size) {
  const std::size_t count = runs.profiles.size();
  std::map<CollectiveKey, std::vector<std::map<std::uint8_t, ClassSum>>> operations;
  for (std::size_t run = 0; run < count; ++run)
    for (const CollectiveCalls& calls : runs.profiles[run]->rank_records[rank].collectives) {
      auto& by_run = operations[{calls.operation, calls.communicator, calls.participants,
                                 calls.communicator_id}];
      by_run.resize(count);
      by_run[run][calls.size_class] = {static_cast<double>(calls.calls),
                                       static_cast<double>(calls.bytes.value), calls.time.value,
                                       calls.shortest.value_or(Seconds{0}).value};
    }
  std::vector<CollectiveCalls> found;
  for (const auto& [key, sums] : operations) {
    ClassesByRun by_run(count);
    for (std::size_t run = 0; run < count; ++run)
      for (const auto& [size_class, sum] : sums[run]) by_run[run].push_back(sum);
    for (const ClassSum& sum : by_size.predicted(std::move(by_run))) {
      if (sum.count < 1) continue;
      CollectiveCalls calls;
      std::tie(calls.operation, calls.communicator, calls.participants, calls.communicator_id) =
          key;
      calls.size_class = class_of(sum);
      calls.calls = whole(sum.count);
      calls.bytes = Bytes{whole(sum.bytes)};
      calls.time = Seconds{sum.time};
      if (sum.shortest > 0) calls.shortest = Seconds{std::min(sum.shortest, sum.time / sum.count)};
      found.push_back(std::move(calls));
    }
  }
  return found;
}

std::vector<CallKind> calls_at(const RunsOfLayout& runs, std::size_t rank,
                               const KindsBySize& by_size) {
  const std::size_t count = runs.profiles.size();
  std::map<std::string, std::pair<ClassesByRun, double>> operations;  // and the share that is timed
  for (std::size_t run = 0; run < count; ++run)
    for (const CallKind& kind : runs.profiles[run]->rank_records[rank].calls) {
      auto& [by_run, timed] = operations[kind.operation];
      by_run.resize(count);
      by_run[run].push_back({static_cast<double>(kind.calls), 0, kind.time.value, 0});
      timed =
          kind.calls > 0 ? static_cast<double>(kind.timed) / static_cast<double>(kind.calls) : 0;
    }
  std::vector<CallKind> found;
  for (auto& [operation, known] : operations) {
    const double timed = known.second;
    for (const ClassSum& sum : by_size.predicted(std::move(known.first)))
      if (sum.count >= 1)
        found.push_back({operation, whole(sum.count),
                         std::min(whole(sum.count * timed), whole(sum.count)), Seconds{sum.time}});
  }
  return found;
}

}  // namespace

TrafficBySize::TrafficBySize(const RunsOfLayout& runs, double target)
    : runs_(runs), target_(target), counts_(runs.sizes, target) {}

void TrafficBySize::predict(std::size_t rank, RankRecord& record) const {
  const KindsBySize by_size(runs_.sizes, target_, counts_);
  for (const Messages kind :
       {&RankRecord::sent, &RankRecord::sent_to_neighbours, &RankRecord::put, &RankRecord::fetched})
    record.*kind = messages_at(runs_, rank, kind, by_size);
  record.collectives = collectives_at(runs_, rank, by_size);
  record.calls = calls_at(runs_, rank, by_size);
}

}  // namespace huddle

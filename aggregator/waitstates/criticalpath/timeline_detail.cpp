#include "aggregator/waitstates/criticalpath/timeline_detail.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

namespace huddle {
namespace {

// Scatters numbers that follow each other, so that a choice among equals is a sample of all of them
// (Steele et al., Fast splittable pseudorandom number generators, 2014).
std::uint64_t scattered(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58476d1ce4e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d049bb133111ebU;
  return number ^ (number >> 31U);
}

// Keeps the most important messages.
class MessageChoice {
 public:
  explicit MessageChoice(std::size_t most) : most_(most) {}

  void add(const TimelineMessage& message) {
    const Ranked ranked{{message.waiting, scattered(count_)}, message};
    ++count_;
    if (kept_.size() == most_) {
      if (most_ == 0 || !(kept_.top().key < ranked.key)) return;
      kept_.pop();
    }
    kept_.push(ranked);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }

  std::vector<TimelineMessage> take() {
    std::vector<TimelineMessage> messages;
    for (; !kept_.empty(); kept_.pop()) messages.push_back(kept_.top().message);
    std::sort(messages.begin(), messages.end(), [](const auto& a, const auto& b) {
      return std::tie(a.sent, a.sender, a.received, a.receiver) <
             std::tie(b.sent, b.sender, b.received, b.receiver);
    });
    return messages;
  }

 private:
  struct Ranked {
    std::pair<std::uint64_t, std::uint64_t> key;  // waiting, chance
    TimelineMessage message;
    bool operator<(const Ranked& other) const { return other.key < key; }
  };
  std::size_t most_;
  std::uint64_t count_ = 0;
  std::priority_queue<Ranked> kept_;  // the least important one is on top
};

// Where a rank spent most of each bin. Intervals come in order of time.
class FunctionBins {
 public:
  FunctionBins(const WaitReport& report, std::uint32_t rank, std::vector<TimelineFunction>& out)
      : report_(report), rank_(rank), out_(out) {
    if (!report.timeline.empty()) bins_ = report.timeline[0].size();
  }

  // Ticks since the report's begin.
  void spend(std::uint64_t begin, std::uint64_t end, std::uint32_t path) {
    while (begin < end) {
      const std::size_t bin = bin_of(begin);
      if (bin != bin_) flush(bin);
      const std::uint64_t until = bin + 1 < bins_ ? std::min(end, begin_of(bin + 1)) : end;
      add(path, until - begin);
      begin = until;
    }
  }

  void flush(std::size_t next) {
    const auto most =
        std::max_element(spent_.begin(), spent_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != spent_.end() && most->first < report_.call_paths.size()) put(most->first);
    spent_.clear();
    bin_ = next;
  }

 private:
  [[nodiscard]] std::size_t bin_of(std::uint64_t ticks) const {
    const std::uint64_t at = ticks + report_.begin;
    if (at < report_.timeline_begin) return 0;
    const std::uint64_t bin = (at - report_.timeline_begin) / report_.timeline_bin;
    return std::min<std::size_t>(bin, bins_ - 1);
  }

  // Behind bin 0, so that it is not before the report's begin.
  [[nodiscard]] std::uint64_t begin_of(std::size_t bin) const {
    return report_.timeline_begin + bin * report_.timeline_bin - report_.begin;
  }

  void add(std::uint32_t path, std::uint64_t ticks) {
    const auto known = std::find_if(spent_.begin(), spent_.end(),
                                    [&](const auto& entry) { return entry.first == path; });
    if (known != spent_.end())
      known->second += ticks;
    else
      spent_.emplace_back(path, ticks);
  }

  void put(std::uint32_t path) {
    const auto bin = static_cast<std::uint32_t>(bin_);
    if (!out_.empty() && out_.back().rank == rank_ && out_.back().call_path == path &&
        out_.back().first_bin + out_.back().bins == bin)
      ++out_.back().bins;
    else
      out_.push_back({rank_, bin, 1, path});
  }

  const WaitReport& report_;
  std::uint32_t rank_;
  std::vector<TimelineFunction>& out_;
  std::size_t bins_ = 0;
  std::size_t bin_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> spent_;  // call path, ticks
};

void add_functions(const ActivityLog& log, const WaitReport& report, std::uint32_t rank,
                   std::vector<TimelineFunction>& out) {
  FunctionBins bins(report, rank, out);
  std::uint64_t now = log.begin_of(rank);
  for (std::uint64_t i = log.first_of(rank); i < log.first_of(rank + 1); ++i) {
    const Activity& activity = log[i];
    bins.spend(now, activity.enter, activity.before);
    bins.spend(activity.enter, activity.leave, activity.call_path);
    now = activity.leave;
  }
  bins.flush(0);
}

void add_messages(const ActivityLog& log, std::uint32_t rank, MessageChoice& choice) {
  for (std::uint64_t i = log.first_of(rank); i < log.first_of(rank + 1); ++i)
    for (const ActivityLink& link : log.links_of(i)) {
      if (link.kind != DependencyKind::kMessage || !log.holds(i, link.on)) continue;
      const std::uint64_t sent = log[link.on].enter;
      choice.add({link.which, rank, sent, log[i].leave, sent - std::min(sent, log[i].enter)});
    }
}

}  // namespace

TimelineDetail timeline_detail_of(const ActivityLog& log, const WaitReport& report,
                                  std::size_t most_messages) {
  TimelineDetail detail;
  MessageChoice choice(most_messages);
  const bool has_bins =
      report.timeline_bin > 0 && !report.timeline.empty() && !report.timeline[0].empty();
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    add_messages(log, rank, choice);
    if (has_bins) add_functions(log, report, rank, detail.functions);
  }
  detail.all_messages = choice.count();
  detail.messages = choice.take();
  return detail;
}

}  // namespace huddle

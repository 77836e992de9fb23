#include "profiles/vocabulary/rank_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using Run = RankSet::Run;

// Joins ascending ranks to runs. What comes out depends on the set alone and not on how it was
// written, so that equal sets have equal runs. Two ranks that are not neighbours are no run: in
// 0, 8, 9, 10 the run is 8 to 10.
class Joiner {
 public:
  void add(std::uint32_t rank) {
    if (ranks_ == 0) {
      run_ = {rank, rank, 1};
      ranks_ = 1;
    } else if (ranks_ == 1) {
      run_.stride = rank - run_.first;
      run_.last = rank;
      ranks_ = 2;
    } else if (rank - run_.last == run_.stride) {
      run_.last = rank;
      ++ranks_;
    } else if (ranks_ == 2 && run_.stride > 1) {
      runs_.push_back({run_.first, run_.first, 1});
      run_ = {run_.last, rank, rank - run_.last};
    } else {
      runs_.push_back(run_);
      run_ = {rank, rank, 1};
      ranks_ = 1;
    }
  }

  // Like add() for each of its ranks, in the time of three: by then the ranks before are settled
  // and the stride is the run's.
  void add(const Run& run) {
    std::uint32_t rank = run.first;
    for (int i = 0; i < 3; ++i, rank += run.stride) {
      add(rank);
      if (run.last - rank < run.stride) return;
    }
    ranks_ += (run.last - run_.last) / run.stride;
    run_.last = run.last;
  }

  std::vector<Run> take() {
    if (ranks_ == 2 && run_.stride > 1) {
      runs_.push_back({run_.first, run_.first, 1});
      run_ = {run_.last, run_.last, 1};
    }
    if (ranks_ > 0) runs_.push_back(run_);
    runs_.shrink_to_fit();
    return std::move(runs_);
  }

 private:
  std::vector<Run> runs_;
  Run run_;
  std::uint64_t ranks_ = 0;  // in run_
};

class ListReader {
 public:
  ListReader(std::string_view list, std::uint32_t limit)
      : list_(list), limit_(limit), at_(list.data()), end_(at_ + list.size()) {}

  std::vector<Run> runs() {
    Joiner joiner;
    std::uint64_t lowest = 0;
    while (at_ != end_) {
      const Run run = item();
      if (run.first < lowest) fail();
      lowest = std::uint64_t{run.last} + 1;
      joiner.add(run);
      if (at_ == end_) break;
      if (*at_++ != ',' || at_ == end_) fail();
    }
    return joiner.take();
  }

 private:
  Run item() {
    Run run;
    run.first = number();
    run.last = run.first;
    if (at_ == end_ || *at_ != '-') return below_limit(run);
    ++at_;
    run.last = number();
    if (at_ != end_ && *at_ == ':') {
      ++at_;
      run.stride = number();
    }
    if (run.last < run.first || run.stride == 0 || (run.last - run.first) % run.stride != 0) fail();
    return below_limit(run);
  }

  Run below_limit(const Run& run) const {
    if (run.last >= limit_) fail();
    return run;
  }

  std::uint32_t number() {
    std::uint32_t value = 0;
    const auto [next, failure] = std::from_chars(at_, end_, value);
    if (failure != std::errc{}) fail();
    at_ = next;
    return value;
  }

  [[noreturn]] void fail() const {
    throw Error(fmt::format(
        "\"{}\" is not an ascending list of ranks such as 0-3,8,16-28:4 (numbers below {})",
        shortened(list_), limit_));
  }

  std::string_view list_;
  std::uint32_t limit_;
  const char* at_;
  const char* end_;
};

}  // namespace

RankSet::RankSet(std::vector<std::uint32_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  Joiner joiner;
  for (const std::uint32_t rank : ranks) joiner.add(rank);
  runs_ = joiner.take();
}

RankSet RankSet::parse(std::string_view list, std::uint32_t limit) {
  RankSet set;
  set.runs_ = ListReader(list, limit).runs();
  return set;
}

std::string RankSet::list() const {
  std::string text;
  for (const Run& run : runs_) {
    if (!text.empty()) text += ',';
    text += std::to_string(run.first);
    if (run.last > run.first) text += '-' + std::to_string(run.last);
    if (run.stride > 1) text += ':' + std::to_string(run.stride);
  }
  return text;
}

std::uint32_t RankSet::size() const {
  std::uint32_t ranks = 0;
  for (const Run& run : runs_) ranks += (run.last - run.first) / run.stride + 1;
  return ranks;
}

bool RankSet::contains(Rank rank) const {
  const auto behind =
      std::upper_bound(runs_.begin(), runs_.end(), rank.value,
                       [](std::uint32_t value, const Run& run) { return value < run.first; });
  if (behind == runs_.begin()) return false;
  const Run& run = *(behind - 1);
  return rank.value <= run.last && (rank.value - run.first) % run.stride == 0;
}

}  // namespace huddle

#include "profiles/formats/profile/wait_summary_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "profiles/formats/profile/table_columns.hpp"

namespace huddle {
namespace {

using In = DocumentReader;
using Need = DocumentReader::Need;

using Ranks = TableColumns<RankWaitSummary, 3>;
constexpr std::array<std::string_view, 3> kRankColumns = {"run_time_s", "computation_s", "slack_s"};
constexpr std::array<In::Member<Ranks>, 3> kRankMembers = {{
    {kRankColumns[0], Need::kRequired,
     [](In& in, Ranks& into) {
       into.read(in, 0, [&](RankWaitSummary& rank) { rank.run_time.value = in.non_negative(); });
     }},
    {kRankColumns[1], Need::kRequired,
     [](In& in, Ranks& into) {
       into.read(in, 1, [&](RankWaitSummary& rank) { rank.computation.value = in.non_negative(); });
     }},
    {kRankColumns[2], Need::kRequired,
     [](In& in, Ranks& into) {
       into.read(in, 2, [&](RankWaitSummary& rank) { rank.slack.value = in.non_negative(); });
     }},
}};

struct Whole {
  std::uint32_t ranks;
  WaitSummary summary = {};
};

void fail_length(In& in, std::size_t found, std::uint32_t ranks, std::string_view inside) {
  in.fail(fmt::format("an array of {}", found),
          fmt::format("an array of {}, one for each rank", ranks), inside);
}

void read_ranks(In& in, Whole& into) {
  Ranks columns;
  in.object(kRankMembers, columns);
  columns.check_lengths(in, kRankColumns);
  if (columns.rows.size() != into.ranks)
    fail_length(in, columns.rows.size(), into.ranks, fmt::format(".{}", kRankColumns[0]));
  into.summary.ranks = {columns.rows.begin(), columns.rows.end()};
}

struct Pattern {
  std::uint32_t ranks;
  PatternWaitSummary summary = {};
};

void read_waited(In& in, Pattern& into) {
  in.array([&](std::size_t) { into.summary.waited.push_back({in.non_negative()}); });
  if (into.summary.waited.size() != into.ranks)
    fail_length(in, into.summary.waited.size(), into.ranks, "");
}

constexpr std::array<In::Member<Pattern>, 2> kPatternMembers = {{
    {"pattern", Need::kRequired, [](In& in, Pattern& into) { into.summary.pattern = in.text(); }},
    {"waited_s", Need::kRequired, read_waited},
}};

void read_patterns(In& in, Whole& into) {
  std::vector<PatternWaitSummary>& patterns = into.summary.patterns;
  in.array([&](std::size_t) {
    Pattern pattern{into.ranks};
    in.object(kPatternMembers, pattern);
    patterns.push_back(std::move(pattern.summary));
  });
  std::sort(patterns.begin(), patterns.end(),
            [](const auto& a, const auto& b) { return a.pattern < b.pattern; });
  const auto twice =
      std::adjacent_find(patterns.begin(), patterns.end(),
                         [](const auto& a, const auto& b) { return a.pattern == b.pattern; });
  if (twice != patterns.end())
    in.fail(fmt::format("pattern \"{}\" twice", twice->pattern), "each pattern only once");
}

void read_origin(In& in, Whole& into) {
  into.summary.origin = in.text();
  if (into.summary.origin != "trace") in.fail_value("\"trace\"");
}

constexpr std::array<In::Member<Whole>, 5> kMembers = {{
    {"origin", Need::kRequired, read_origin},
    {"run_time_s", Need::kRequired,
     [](In& in, Whole& into) { into.summary.run_time.value = in.non_negative(); }},
    {"stretched_run_time_s", Need::kRequired,
     [](In& in, Whole& into) { into.summary.stretched_run_time.value = in.non_negative(); }},
    {"ranks", Need::kRequired, read_ranks},
    {"patterns", Need::kRequired, read_patterns},
}};

}  // namespace

WaitSummary read_wait_summary(DocumentReader& in, std::uint32_t ranks) {
  Whole whole{ranks};
  in.object(kMembers, whole);
  return std::move(whole.summary);
}

}  // namespace huddle

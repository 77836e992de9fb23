#include "aggregator/commands/show/show_sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "aggregator/render/heatmap/matrix_picture.hpp"
#include "aggregator/render/output.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::cli {
namespace {

// A fetch is known to who fetched, and belongs to the row of who had it.
std::vector<render::Transfer> fetched_by_sender(const Profile& profile,
                                                render::PairMatrix traffic) {
  std::vector<render::Transfer> fetched;
  for (const RankRecord& record : profile.rank_records)
    render::for_each_fetched(
        record, traffic, [&](const render::Transfer& transfer) { fetched.push_back(transfer); });
  std::stable_sort(
      fetched.begin(), fetched.end(),
      [](const render::Transfer& a, const render::Transfer& b) { return a.from < b.from; });
  return fetched;
}

// Row by row, so that a large matrix is never in memory.
void write_csv(const Profile& profile, render::PairMatrix traffic, commgraph::Weight weight,
               const std::string& path) {
  constexpr std::uint32_t kMostRanks = 1U << 17U;  // at least 32 GiB of text
  if (profile.ranks > kMostRanks)
    throw Error(fmt::format("a matrix of {0} x {0} is too large to write out, at most {1} x {1}",
                            profile.ranks, kMostRanks));
  files::AtomicFile file(path);
  const std::vector<render::Transfer> fetched = fetched_by_sender(profile, traffic);
  auto next_fetched = fetched.begin();
  auto next_record = profile.rank_records.begin();
  std::vector<std::uint64_t> row(profile.ranks);
  const auto add = [&](const render::Transfer& transfer) {
    row[transfer.to.value] += transfer.measured_in(weight);
  };
  for (Rank rank; rank.value < profile.ranks; ++rank.value) {
    std::fill(row.begin(), row.end(), 0);
    if (next_record != profile.rank_records.end() && next_record->rank == rank)
      render::for_each_sent(*next_record++, traffic, add);
    for (; next_fetched != fetched.end() && next_fetched->from == rank; ++next_fetched)
      add(*next_fetched);
    file.write(fmt::format("{}\n", fmt::join(row, ",")));
  }
  file.commit();
}

}  // namespace

void check_matrix_file(const std::string& path) {
  for (const std::string_view end : {".csv", ".svg"})
    if (path.ends_with(end)) return;
  throw UsageError(
      fmt::format("--matrix {}: expected a name that ends in .csv or .svg", shortened(path)));
}

void write_matrix(const Profile& profile, render::PairMatrix traffic, commgraph::Weight weight,
                  const std::string& path) {
  if (path.ends_with(".csv")) return write_csv(profile, traffic, weight, path);
  render::put_out(render::svg_of(render::matrix_picture(profile, traffic, weight)), path);
}

}  // namespace huddle::cli

#include "aggregator/teams/team_study.hpp"

#include <algorithm>
#include <map>

namespace huddle::teams {
namespace {

using Rows = std::vector<const hybrid::TeamRow*>;

// 0: as many as its program gives it.
std::uint32_t threads_of(const hybrid::TeamRow& row) {
  return row.after.threads < row.before.threads ? row.after.threads : 0;
}

bool have_same(const Rows& rows) {
  return std::ranges::all_of(rows, [&](const hybrid::TeamRow* row) {
    return row->after.cores == rows.front()->after.cores &&
           row->after.packages == rows.front()->after.packages &&
           threads_of(*row) == threads_of(*rows.front());
  });
}

bool is_changed(const hybrid::TeamRow& row) {
  return row.after.cores < row.before.cores;
}

throttling::RegionCores choice_of(const hybrid::TeamRow& row) {
  // As many as it has threads: as it was started.
  if (!is_changed(row)) return {row.region, 0, std::max(row.before.threads, row.before.cores), 1};
  return {row.region, 0, row.after.cores, row.after.packages, threads_of(row)};
}

// By group, of rows that are at no position; `of_all`: there is one of each group.
std::vector<throttling::RegionCores> choices_by_group(const Rows& rows, bool of_all) {
  std::vector<throttling::RegionCores> choices;
  if (rows.empty()) return choices;
  if (of_all && have_same(rows)) {
    if (is_changed(*rows.front())) choices.push_back(choice_of(*rows.front()));
    return choices;
  }
  for (const hybrid::TeamRow* row : rows) {
    if (!is_changed(*row)) continue;
    choices.push_back(choice_of(*row));
    choices.back().group = row->group;
  }
  return choices;
}

// The choice that a row would have without an entry of its own; null: it is as it was started.
const throttling::RegionCores* general_choice(const std::vector<throttling::RegionCores>& choices,
                                              const hybrid::TeamRow& row) {
  for (const std::uint64_t group : {row.group, std::uint64_t{0}}) {
    const auto found = std::ranges::find(choices, group, &throttling::RegionCores::group);
    if (found != choices.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

std::vector<throttling::RegionCores> choices_of_rank(
    const std::vector<const hybrid::TeamRow*>& rows) {
  std::map<std::uint64_t, Rows> by_region;
  for (const hybrid::TeamRow* row : rows) by_region[row->region].push_back(row);
  std::vector<throttling::RegionCores> choices;
  for (const auto& [region, all] : by_region) {
    if (have_same(all)) {
      if (is_changed(*all.front())) choices.push_back(choice_of(*all.front()));
      continue;
    }
    Rows plain;
    std::ranges::copy_if(all, std::back_inserter(plain),
                         [](const hybrid::TeamRow* row) { return row->where.context == 0; });
    const bool of_all = std::ranges::all_of(all, [&](const hybrid::TeamRow* row) {
      return std::ranges::any_of(
          plain, [&](const hybrid::TeamRow* one) { return one->group == row->group; });
    });
    const std::vector<throttling::RegionCores> general = choices_by_group(plain, of_all);
    choices.insert(choices.end(), general.begin(), general.end());
    for (const hybrid::TeamRow* row : all) {
      if (row->where.context == 0) continue;
      const throttling::RegionCores* const otherwise = general_choice(general, *row);
      const bool is_same = otherwise != nullptr && otherwise->cores == row->after.cores &&
                           otherwise->packages == row->after.packages &&
                           otherwise->threads == threads_of(*row);
      if (is_same || (otherwise == nullptr && !is_changed(*row))) continue;
      choices.push_back(choice_of(*row));
      choices.back().context = row->where.context;
    }
  }
  return choices;
}

}  // namespace huddle::teams

#include "profiles/formats/plan/plan_teams.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::uint32_t kMostCores = 65536;

std::uint32_t read_count_up_to(const Field& field, std::uint32_t most) {
  const std::uint32_t count = field.unsigned_32(most);
  if (count == 0) field.fail("1 or more");
  return count;
}

RegionCores read_region_cores(const Field& field) {
  RegionCores cores;
  cores.region = field.at("region").unsigned_integer();
  if (cores.region == 0) field.at("region").fail("the id of a region, 1 or more");
  if (field.has("group")) cores.group = field.at("group").unsigned_integer();
  cores.cores = read_count_up_to(field.at("cores"), kMostCores);
  if (field.has("context")) {
    cores.context = field.at("context").unsigned_integer();
    if (cores.context == 0) field.at("context").fail("a position, 1 or more");
    if (cores.group != 0) field.at("group").fail("none where there is a context");
  }
  if (field.has("packages")) cores.packages = read_count_up_to(field.at("packages"), cores.cores);
  if (field.has("threads")) {
    cores.threads = read_count_up_to(field.at("threads"), kMostCores);
    if (cores.threads % cores.cores != 0)
      field.at("threads").fail(fmt::format("a multiple of cores, {}", cores.cores));
  }
  return cores;
}

GroupClock read_group_clock(const Field& field) {
  constexpr std::uint32_t kMostKhz = 100'000'000;
  GroupClock clock;
  clock.group = field.at("group").unsigned_integer();
  if (clock.group == 0) field.at("group").fail("the id of a group of phases, 1 or more");
  clock.khz = read_count_up_to(field.at("khz"), kMostKhz);
  return clock;
}

RankSet read_ranks(const Field& field, std::uint32_t ranks) {
  RankSet set;
  try {
    set = RankSet::parse(field.text(), ranks);
  } catch (const FormatError&) {
    throw;
  } catch (const Error&) {
  }
  if (set.empty()) field.fail(fmt::format("an ascending list of ranks below {}", ranks));
  return set;
}

std::vector<std::string> read_builds(const Field& root, const char* name) {
  std::vector<std::string> builds;
  if (!root.has(name)) return builds;
  root.at(name).for_each([&](const Field& build) {
    builds.push_back(build.text());
    if (builds.size() > 1 && builds[builds.size() - 2] >= builds.back())
      build.fail("ascending build ids");
  });
  return builds;
}

}  // namespace

TeamPrograms read_team_programs(const Field& root) {
  return {read_builds(root, "teams_programs"), read_builds(root, "teams_sized")};
}

void write_team_programs(const TeamPrograms& programs, nlohmann::ordered_json& document) {
  for (const std::string& build : programs.builds)
    document["teams_programs"].push_back(utf8(build));
  for (const std::string& build : programs.sized) document["teams_sized"].push_back(utf8(build));
}

std::vector<TeamsOfRanks> read_teams(const Field& field, std::uint32_t ranks) {
  std::vector<TeamsOfRanks> teams;
  field.for_each([&](const Field& entry) {
    TeamsOfRanks part{read_ranks(entry.at("ranks"), ranks), {}};
    entry.at("regions").for_each(
        [&](const Field& region) { part.choices.push_back(read_region_cores(region)); });
    if (entry.has("clocks"))
      entry.at("clocks").for_each(
          [&](const Field& clock) { part.clocks.push_back(read_group_clock(clock)); });
    if (part.choices.empty() && part.clocks.empty())
      entry.at("regions").fail("one region or more, or clocks");
    if (entry.has("anchor")) part.anchor = entry.at("anchor").unsigned_integer();
    const bool has_positions =
        std::ranges::any_of(part.choices, [](const RegionCores& one) { return one.context != 0; });
    if (has_positions && part.anchor == 0)
      entry.at("regions").fail("no context without an anchor beside \"regions\"");
    teams.push_back(std::move(part));
  });
  return teams;
}

nlohmann::ordered_json json_of(const std::vector<TeamsOfRanks>& teams) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const TeamsOfRanks& part : teams) {
    nlohmann::ordered_json regions = nlohmann::ordered_json::array();
    for (const RegionCores& choice : part.choices) {
      nlohmann::ordered_json entry = {{"region", choice.region}};
      if (choice.group != 0) entry["group"] = choice.group;
      if (choice.context != 0) entry["context"] = choice.context;
      entry["cores"] = choice.cores;
      if (choice.packages != 1) entry["packages"] = choice.packages;
      if (choice.threads != 0) entry["threads"] = choice.threads;
      regions.push_back(std::move(entry));
    }
    array.push_back({{"ranks", part.ranks.list()}, {"regions", std::move(regions)}});
    if (part.anchor != 0) array.back()["anchor"] = part.anchor;
    for (const GroupClock& clock : part.clocks)
      array.back()["clocks"].push_back({{"group", clock.group}, {"khz", clock.khz}});
  }
  return array;
}

}  // namespace huddle

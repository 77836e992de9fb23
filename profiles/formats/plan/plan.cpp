#include "profiles/formats/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiles/formats/plan/plan_members.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> kGroupings = {"mapped", "rank-order"};
constexpr std::string_view kKeep = "keep";
constexpr std::string_view kSet = "set";
constexpr std::string_view kRanks = "ranks";
constexpr std::uint32_t kMostCores = 65536;
constexpr std::uint32_t kMostKhz = 100'000'000;

RankPlace read_place(const Field& node, const Field& pus, const Plan& plan) {
  RankPlace place;
  place.node.value = node.unsigned_32(plan.chosen.nodes - 1);
  try {
    place.pus = PuSet::parse(pus.text());
  } catch (const FormatError&) {
    throw;
  } catch (const Error&) {
  }
  if (place.pus.empty() || place.pus.members().back() >= plan.node_pus)
    pus.fail(fmt::format("a list such as 0-3,8 of PUs below node_pus, {}", plan.node_pus));
  return place;
}

void read_placement(const Field& placement, Plan& plan) {
  const Field nodes = placement.at("node");
  const Field pus = placement.at("pus");
  for (const Field& column : {nodes, pus})
    if (column.array_size() != plan.ranks)
      column.fail(fmt::format("an array of {}, one for each rank", plan.ranks));
  plan.placement.reserve(plan.ranks);
  for (std::size_t rank = 0; rank < plan.ranks; ++rank)
    plan.placement.push_back(read_place(nodes.element(rank), pus.element(rank), plan));
}

ordered_json json_of_placement(const Plan& plan) {
  ordered_json nodes = ordered_json::array();
  ordered_json pus = ordered_json::array();
  for (const RankPlace& place : plan.placement) {
    nodes.push_back(place.node.value);
    pus.push_back(place.pus.list());
  }
  return {{"node", std::move(nodes)}, {"pus", std::move(pus)}};
}

template <class Members>
void describe_frequency(Members& members, In<Members, Plan>& plan) {
  std::string policy(plan.rank_frequencies.empty() ? kSet : kRanks);
  if (!plan.frequency) policy = kKeep;
  members.required("policy", policy, [](const Field& field, const std::string& read) {
    if (read != kKeep && read != kSet && read != kRanks)
      field.fail("\"keep\", \"set\" or \"ranks\"");
  });
  if (policy == kKeep) return;
  members.required("hz", plan.frequency, kAboveZero);
  if (policy == kSet) return;
  members.required("hz_by_rank", plan.rank_frequencies,
                   [&](const Field& field, const std::vector<Hertz>& by_rank) {
                     if (by_rank.size() != plan.ranks)
                       field.fail(fmt::format("an array of {}, one for each rank", plan.ranks));
                     for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
                       kAboveZero(field.element(rank), by_rank[rank]);
                       if (by_rank[rank] > *plan.frequency)
                         field.element(rank).fail("at most frequency.hz");
                     }
                   });
}

/// The ranks that a part of a plan's teams is for, as text.
template <class Ranks>
class RankList {
 public:
  RankList(Ranks& list, std::uint32_t ranks) : list_(list), ranks_(ranks) {}
  void read(const Field& field) const {
    if constexpr (!std::is_const_v<Ranks>) {
      try {
        list_ = RankSet::parse(field.text(), ranks_);
      } catch (const FormatError&) {
        throw;
      } catch (const Error&) {
      }
      if (list_.empty()) field.fail(fmt::format("an ascending list of ranks below {}", ranks_));
    }
  }
  [[nodiscard]] ordered_json json() const { return list_.list(); }
  [[nodiscard]] bool is_set() const { return !list_.empty(); }
  [[nodiscard]] const Ranks& value() const { return list_; }

 private:
  Ranks& list_;
  std::uint32_t ranks_;
};

}  // namespace

template <class Members>
void describe(Members& members, In<Members, throttling::RegionCores>& cores) {
  const auto is_region = [](const Field& field, std::uint64_t region) {
    if (region == 0) field.fail("the id of a region, 1 or more");
  };
  members.required("region", cores.region, is_region);
  members.optional("group", cores.group);
  members.optional("context", cores.context, [&](const Field& field, std::uint64_t context) {
    if (context == 0) field.fail("a position, 1 or more");
    if (cores.group == 0) return;
    members.check("group", [](const Field& group) { group.fail("none where there is a context"); });
  });
  members.required("cores", cores.cores, at_most(kMostCores), at_least(1U));
  members.unless(1U, "packages", cores.packages, at_most(cores.cores), at_least(1U));
  members.optional("threads", cores.threads, at_most(kMostCores), at_least(1U),
                   [&](const Field& field, std::uint32_t threads) {
                     if (threads % cores.cores != 0)
                       field.fail(fmt::format("a multiple of cores, {}", cores.cores));
                   });
}

template <class Members>
void describe(Members& members, In<Members, throttling::GroupClock>& clock) {
  members.required("group", clock.group, [](const Field& field, std::uint64_t group) {
    if (group == 0) field.fail("the id of a group of phases, 1 or more");
  });
  members.required("khz", clock.khz, at_most(kMostKhz), at_least(1U));
}

namespace {

template <class Members>
void describe_teams(Members& members, In<Members, throttling::TeamsOfRanks>& teams,
                    std::uint32_t ranks) {
  members.required("ranks", RankList(teams.ranks, ranks));
  members.required("regions", teams.choices);
  members.optional("anchor", teams.anchor);
  members.optional("clocks", teams.clocks);
  members.check("regions", [&](const Field& field) {
    if (teams.choices.empty() && teams.clocks.empty()) field.fail("one region or more, or clocks");
    const bool has_positions = std::ranges::any_of(
        teams.choices, [](const throttling::RegionCores& one) { return one.context != 0; });
    if (has_positions && teams.anchor == 0)
      field.fail("no context without an anchor beside \"regions\"");
  });
}

}  // namespace

template <class Members>
void describe(Members& members, In<Members, Plan::Companion>& companion) {
  describe(members, companion.program);
  // Beside the plan and nowhere else: tasks of the job read it.
  members.required("plan", companion.file, [](const Field& field, const std::string& name) {
    if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
      field.fail("the name of a file in the plan's folder");
  });
}

template <class Members>
void describe(Members& members, In<Members, Plan>& plan) {
  members.required("label", plan.label);
  members.required("user", plan.user);
  members.required("ranks", plan.ranks, at_least(1U));
  members.unless(1U, "cores_per_rank", plan.cores_per_rank, at_most(PuSet::kLimit), at_least(1U));
  members.required("reason", plan.reason);
  members.required("grouping", named(plan.grouping, kGroupings, "\"mapped\" or \"rank-order\""));
  members.optional("order_reason", plan.order_reason);
  members.optional("keeps_nodes", plan.keeps_nodes);
  members.required("chosen", plan.chosen, [](const Field& field, const PatternForecast& chosen) {
    if (chosen.nodes == 0) field.at("nodes").fail("1 or more");
  });
  members.required("reference", plan.reference);
  members.required("runners_up", plan.runners_up);
  members.optional("trial", plan.trial);
  members.optional("slowdown_bound", plan.slowdown_bound, kNotNegative);
  if (members.present("teams", !plan.teams.empty()))
    members.array("teams", plan.teams,
                  [&](auto& inner, auto& teams) { describe_teams(inner, teams, plan.ranks); });
  members.optional("teams_reason", plan.teams_reason);
  describe(members, plan.teams_programs);
  members.required("between_nodes_bytes", plan.between_nodes);
  members.required("node_pus", plan.node_pus, at_most(PuSet::kLimit));
  describe_node_shape(members, plan.node_shape);
  members.within("frequency", [&](auto& inner) { describe_frequency(inner, plan); });
  members.required("made_from", plan.made_from);
  members.optional("program", plan.program);
  members.optional("companions", plan.companions);
  if constexpr (Members::kReads)
    read_placement(members.object().at("placement"), plan);
  else
    members.json("placement", json_of_placement(plan));
  members.optional("submitted_ranks", plan.submitted_ranks,
                   [&](const Field& field, const std::vector<std::uint32_t>& numbers) {
                     std::uint64_t sum = 0;
                     for (std::size_t i = 0; i < numbers.size(); sum += numbers[i++])
                       if (numbers[i] == 0) field.element(i).fail("1 or more");
                     if (sum != plan.ranks)
                       field.fail(fmt::format("numbers whose sum is ranks, {}", plan.ranks));
                   });
}

std::optional<Grouping> grouping_of(std::string_view name) {
  for (std::size_t i = 0; i < kGroupings.size(); ++i)
    if (name == kGroupings[i]) return static_cast<Grouping>(i);
  return std::nullopt;
}

std::string_view name_of(Grouping grouping) {
  return kGroupings[static_cast<std::size_t>(grouping)];
}

std::vector<std::uint32_t> Plan::ranks_by_node() const {
  std::vector<std::uint32_t> held(chosen.nodes);
  for (const RankPlace& place : placement) ++held[place.node.value];
  return held;
}

std::string Plan::teams_text() const {
  if (teams.empty()) return {};
  return text_of(throttling::ChosenByRank{
      std::clamp(slowdown_bound.value_or(throttling::ChosenByRank{}.bound), 0.0, 1.0), teams});
}

std::vector<Hertz> Plan::frequencies_by_rank() const {
  if (!frequency) return {};
  return rank_frequencies.empty() ? std::vector<Hertz>(ranks, *frequency) : rank_frequencies;
}

std::optional<std::filesystem::path> Plan::file_for(const LaunchedProgram& step,
                                                    const std::filesystem::path& own) const {
  if (program.path.empty() || step.path.empty()) return own;
  const auto exactly = [&](const Companion& each) { return each.program.path == step.path; };
  const auto roughly = [&](const Companion& each) { return same_program(each.program, step); };
  if (program.path == step.path) return own;
  auto found = std::find_if(companions.begin(), companions.end(), exactly);
  if (found == companions.end() && same_program(program, step)) return own;
  if (found == companions.end())
    found = std::find_if(companions.begin(), companions.end(), roughly);
  if (found == companions.end()) return std::nullopt;
  return own.parent_path() / found->file;
}

Plan parse_plan(std::string_view bytes, std::string_view file) {
  return parse_document<Plan>(bytes, file);
}

Plan load_plan(const std::filesystem::path& path) {
  return load_document<Plan>(path, {.file_bytes = kMostPlanBytes});
}

void save_plan(const Plan& plan, const std::filesystem::path& path) {
  save_json(path, document_of(plan));
}

std::string to_json(const Plan& plan) {
  return document_of(plan).dump(1) + "\n";
}

}  // namespace huddle

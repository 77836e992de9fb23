#include "profiles/formats/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/plan/forecast_json.hpp"
#include "profiles/formats/plan/node_shape_json.hpp"
#include "profiles/formats/plan/plan_teams.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kMapped = "mapped";
constexpr std::string_view kRankOrder = "rank-order";
constexpr std::string_view kKeep = "keep";
constexpr std::string_view kSet = "set";
constexpr std::string_view kRanks = "ranks";

ordered_json encoded_policy(const Plan& plan) {
  if (!plan.frequency) return {{"policy", kKeep}};
  ordered_json policy = {{"policy", plan.rank_frequencies.empty() ? kSet : kRanks},
                         {"hz", plan.frequency->value}};
  for (const Hertz frequency : plan.rank_frequencies)
    policy["hz_by_rank"].push_back(frequency.value);
  return policy;
}

ordered_json json_of(const LaunchedProgram& program) {
  return {{"path", utf8(program.path)}, {"build_id", utf8(program.build_id)}};
}

ordered_json encoded(const Plan& plan) {
  ordered_json document = new_document(Plan::kFormat, Plan::kVersion);
  document["label"] = utf8(plan.label);
  document["user"] = utf8(plan.user);
  document["ranks"] = plan.ranks;
  if (plan.cores_per_rank != 1) document["cores_per_rank"] = plan.cores_per_rank;
  document["reason"] = utf8(plan.reason);
  document["grouping"] = name_of(plan.grouping);
  if (!plan.order_reason.empty()) document["order_reason"] = utf8(plan.order_reason);
  if (plan.keeps_nodes) document["keeps_nodes"] = true;
  document["chosen"] = json_of(plan.chosen, Unknown::kLeftOut);
  document["reference"] = json_of(plan.reference, Unknown::kLeftOut);
  document["runners_up"] = ordered_json::array();
  for (const PatternForecast& other : plan.runners_up)
    document["runners_up"].push_back(json_of(other, Unknown::kLeftOut));
  if (plan.trial) document["trial"] = true;
  if (plan.slowdown_bound) document["slowdown_bound"] = *plan.slowdown_bound;
  if (!plan.teams.empty()) document["teams"] = json_of(plan.teams);
  if (!plan.teams_reason.empty()) document["teams_reason"] = utf8(plan.teams_reason);
  write_team_programs(plan.teams_programs, document);
  document["between_nodes_bytes"] = plan.between_nodes.value;
  document["node_pus"] = plan.node_pus;
  write_node_shape(plan.node_shape, document);
  document["frequency"] = encoded_policy(plan);
  document["made_from"] = ordered_json::array();
  for (const std::string& file : plan.made_from) document["made_from"].push_back(utf8(file));
  if (!plan.program.path.empty()) document["program"] = json_of(plan.program);
  for (const Plan::Companion& companion : plan.companions) {
    ordered_json entry = json_of(companion.program);
    entry["plan"] = utf8(companion.file);
    document["companions"].push_back(std::move(entry));
  }
  ordered_json nodes = ordered_json::array();
  ordered_json pus = ordered_json::array();
  for (const RankPlace& place : plan.placement) {
    nodes.push_back(place.node.value);
    pus.push_back(place.pus.list());
  }
  document["placement"] = {{"node", std::move(nodes)}, {"pus", std::move(pus)}};
  if (!plan.submitted_ranks.empty()) document["submitted_ranks"] = plan.submitted_ranks;
  return document;
}

Hertz read_frequency(const Field& field) {
  const double value = field.number();
  if (value <= 0) field.fail("a number above 0");
  return {value};
}

Coverage read_coverage(const Field& field) {
  if (const std::optional<Coverage> coverage = coverage_of(field.text())) return *coverage;
  field.fail(kCoverageNames);
}

PatternForecast read_forecast(const Field& field) {
  PatternForecast forecast;
  forecast.pattern = field.at("pattern").text();
  forecast.ranks_per_node = field.at("ranks_per_node").unsigned_32();
  forecast.nodes = field.at("nodes").unsigned_32();
  forecast.time.value = field.at("time_s").non_negative();
  forecast.computation.value = field.at("computation_s").non_negative();
  forecast.communication.value = field.at("communication_s").non_negative();
  forecast.slowdown = field.at("slowdown").number();
  if (field.has("communication_bound_s"))
    forecast.communication_bound = Seconds{field.at("communication_bound_s").non_negative()};
  if (field.has("time_low_s")) forecast.time_low = Seconds{field.at("time_low_s").non_negative()};
  if (field.has("time_high_s"))
    forecast.time_high = Seconds{field.at("time_high_s").non_negative()};
  if (field.has("energy_j")) forecast.energy = Joules{field.at("energy_j").non_negative()};
  if (field.has("frequency_hz")) forecast.frequency = read_frequency(field.at("frequency_hz"));
  if (field.has("coverage")) forecast.coverage = read_coverage(field.at("coverage"));
  if (field.has("rests_on")) forecast.rests_on = field.at("rests_on").text();
  forecast.feasible = field.at("feasible").boolean();
  forecast.reason = field.at("reason").text();
  return forecast;
}

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

std::vector<std::uint32_t> read_submitted_ranks(const Field& field, std::uint32_t ranks) {
  std::vector<std::uint32_t> numbers;
  std::uint64_t sum = 0;
  field.for_each([&](const Field& entry) {
    numbers.push_back(entry.unsigned_32(ranks));
    if (numbers.back() == 0) entry.fail("1 or more");
    sum += numbers.back();
  });
  if (sum != ranks) field.fail(fmt::format("numbers whose sum is ranks, {}", ranks));
  return numbers;
}

Grouping read_grouping(const Field& field) {
  if (const std::optional<Grouping> grouping = grouping_of(field.text())) return *grouping;
  field.fail("\"mapped\" or \"rank-order\"");
}

std::vector<Hertz> read_by_rank(const Field& field, std::uint32_t ranks, Hertz highest) {
  if (field.array_size() != ranks)
    field.fail(fmt::format("an array of {}, one for each rank", ranks));
  std::vector<Hertz> by_rank;
  by_rank.reserve(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    by_rank.push_back(read_frequency(field.element(rank)));
    if (by_rank.back() > highest) field.element(rank).fail("at most frequency.hz");
  }
  return by_rank;
}

void read_policy(const Field& field, Plan& plan) {
  const Field policy = field.at("policy");
  if (policy.text() == kKeep) return;
  const bool by_rank = policy.text() == kRanks;
  if (policy.text() != kSet && !by_rank) policy.fail("\"keep\", \"set\" or \"ranks\"");
  plan.frequency = read_frequency(field.at("hz"));
  if (by_rank)
    plan.rank_frequencies = read_by_rank(field.at("hz_by_rank"), plan.ranks, *plan.frequency);
}

LaunchedProgram read_program(const Field& field) {
  return {field.at("path").text(), field.at("build_id").text()};
}

// Beside the plan and nowhere else: tasks of the job read it.
std::string read_file_name(const Field& field) {
  std::string name = field.text();
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    field.fail("the name of a file in the plan's folder");
  return name;
}

Plan read_plan(const Document& document) {
  const Field root = document.root();
  Plan plan;
  plan.label = root.at("label").text();
  plan.user = root.at("user").text();
  plan.ranks = root.at("ranks").unsigned_32();
  if (plan.ranks == 0) root.at("ranks").fail("1 or more");
  if (root.has("cores_per_rank")) {
    plan.cores_per_rank = root.at("cores_per_rank").unsigned_32(PuSet::kLimit);
    if (plan.cores_per_rank == 0) root.at("cores_per_rank").fail("1 or more");
  }
  plan.reason = root.at("reason").text();
  plan.grouping = read_grouping(root.at("grouping"));
  if (root.has("order_reason")) plan.order_reason = root.at("order_reason").text();
  if (root.has("submitted_ranks"))
    plan.submitted_ranks = read_submitted_ranks(root.at("submitted_ranks"), plan.ranks);
  if (root.has("keeps_nodes")) plan.keeps_nodes = root.at("keeps_nodes").boolean();
  plan.chosen = read_forecast(root.at("chosen"));
  plan.reference = read_forecast(root.at("reference"));
  if (const Field nodes = root.at("chosen").at("nodes"); nodes.unsigned_32() == 0)
    nodes.fail("1 or more");
  root.at("runners_up").for_each([&](const Field& entry) {
    plan.runners_up.push_back(read_forecast(entry));
  });
  plan.between_nodes.value = root.at("between_nodes_bytes").unsigned_integer();
  plan.node_pus = root.at("node_pus").unsigned_32(PuSet::kLimit);
  plan.node_shape = read_node_shape(root);
  root.at("made_from").for_each([&](const Field& entry) {
    plan.made_from.push_back(entry.text());
  });
  if (root.has("program")) plan.program = read_program(root.at("program"));
  if (root.has("companions"))
    root.at("companions").for_each([&](const Field& entry) {
      plan.companions.push_back({read_program(entry), read_file_name(entry.at("plan"))});
    });
  if (root.has("trial")) plan.trial = root.at("trial").boolean();
  if (root.has("slowdown_bound")) plan.slowdown_bound = root.at("slowdown_bound").non_negative();
  if (root.has("teams")) plan.teams = read_teams(root.at("teams"), plan.ranks);
  plan.teams_programs = read_team_programs(root);
  if (root.has("teams_reason")) plan.teams_reason = root.at("teams_reason").text();
  read_policy(root.at("frequency"), plan);
  read_placement(root.at("placement"), plan);
  return plan;
}

}  // namespace

std::optional<Grouping> grouping_of(std::string_view name) {
  if (name == kMapped) return Grouping::kMapped;
  if (name == kRankOrder) return Grouping::kRankOrder;
  return std::nullopt;
}

std::string_view name_of(Grouping grouping) {
  return grouping == Grouping::kMapped ? kMapped : kRankOrder;
}

ordered_json json_of(const PatternForecast& forecast, Unknown unknown) {
  ordered_json entry = {{"pattern", utf8(forecast.pattern)},
                        {"ranks_per_node", forecast.ranks_per_node},
                        {"nodes", forecast.nodes},
                        {"time_s", forecast.time.value},
                        {"computation_s", forecast.computation.value},
                        {"communication_s", forecast.communication.value},
                        {"slowdown", forecast.slowdown}};
  const auto add = [&](const char* name, const auto& quantity) {
    if (quantity)
      entry[name] = quantity->value;
    else if (unknown == Unknown::kNull)
      entry[name] = nullptr;
  };
  add("communication_bound_s", forecast.communication_bound);
  add("time_low_s", forecast.time_low);
  add("time_high_s", forecast.time_high);
  entry["energy_j"] = forecast.energy ? ordered_json(forecast.energy->value) : ordered_json();
  add("frequency_hz", forecast.frequency);
  if (forecast.coverage)
    entry["coverage"] = name_of(*forecast.coverage);
  else if (unknown == Unknown::kNull)
    entry["coverage"] = nullptr;
  if (!forecast.rests_on.empty()) entry["rests_on"] = utf8(forecast.rests_on);
  entry["feasible"] = forecast.feasible;
  entry["reason"] = utf8(forecast.reason);
  return entry;
}

std::vector<std::uint32_t> Plan::ranks_by_node() const {
  std::vector<std::uint32_t> held(chosen.nodes);
  for (const RankPlace& place : placement) ++held[place.node.value];
  return held;
}

std::string Plan::teams_text() const {
  if (teams.empty()) return {};
  return text_of(
      ChosenByRank{std::clamp(slowdown_bound.value_or(ChosenByRank{}.bound), 0.0, 1.0), teams});
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
  return read_plan(Document::parse(bytes, file, Plan::kFormat, Plan::kVersion));
}

Plan load_plan(const std::filesystem::path& path) {
  const DocumentLimits limits{.file_bytes = kMostPlanBytes};
  return read_plan(Document::load(path, Plan::kFormat, Plan::kVersion, limits));
}

void save_plan(const Plan& plan, const std::filesystem::path& path) {
  save_json(path, encoded(plan));
}

std::string to_json(const Plan& plan) {
  return encoded(plan).dump(1) + "\n";
}

}  // namespace huddle

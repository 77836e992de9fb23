#include "profiles/formats/plan/plan_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiles/formats/document/document.hpp"
#include "profiles/formats/plan/plan_request_json.hpp"

namespace huddle {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kPoint = "point";
constexpr std::string_view kInterval = "interval";
constexpr std::string_view kKeepFrequency = "keep";
constexpr std::string_view kAuto = "auto";
constexpr std::string_view kRange = "range";

constexpr std::uint32_t kMostRanks = std::uint32_t{1} << 31U;
constexpr std::uint32_t kMostKeepDays = 36500;
constexpr std::size_t kMostProfiles = 64;
constexpr double kLongestAnswer_s = 86400;

// Names of jobs and files may hold any bytes, and JSON holds UTF-8 only.
ordered_json encoded(const std::string& text) {
  if (utf8(text) == text) return text;
  ordered_json bytes = ordered_json::array();
  for (const char byte : text) bytes.push_back(static_cast<unsigned char>(byte));
  return bytes;
}

std::string read_text(const Field& field) {
  std::string text;
  if (field.is_array()) {
    if (field.array_size() > kLongestRequestText) field.fail("at most 4096 bytes");
    field.for_each([&](const Field& byte) {
      text += static_cast<char>(static_cast<unsigned char>(byte.unsigned_32(255)));
    });
  } else {
    text = field.text();
  }
  if (text.size() > kLongestRequestText || text.find('\0') != std::string::npos)
    field.fail("a text of at most 4096 bytes, none of them 0");
  return text;
}

std::uint32_t read_count(const Field& field, std::uint32_t least, std::uint32_t most = UINT32_MAX) {
  const std::uint32_t count = field.unsigned_32(most);
  if (count < least) field.fail(fmt::format("{} or more", least));
  return count;
}

double read_above_0(const Field& field) {
  const double value = field.number();
  if (value <= 0) field.fail("a number above 0");
  return value;
}

// Calls `read` with the member of that name, if there is one.
template <class Read>
void if_given(const Field& root, std::string_view name, Read read) {
  if (root.has(name)) read(root.at(name));
}

template <class Value>
Value read_name(const Field& field, std::optional<Value> (*of_name)(std::string_view),
                std::string_view names) {
  if (const std::optional<Value> value = of_name(field.text())) return *value;
  field.fail(names);
}

ordered_json encoded(const std::optional<FrequencyRange>& frequencies) {
  if (!frequencies) return {{"policy", kKeepFrequency}};
  if (*frequencies == FrequencyRange{}) return {{"policy", kAuto}};
  return {{"policy", kRange},
          {"lowest_hz", frequencies->lowest.value},
          {"highest_hz", frequencies->highest.value}};
}

std::optional<FrequencyRange> read_frequencies(const Field& field) {
  const Field policy = field.at("policy");
  if (policy.text() == kKeepFrequency) return std::nullopt;
  if (policy.text() == kAuto) return FrequencyRange{};
  if (policy.text() != kRange) policy.fail("keep, auto or range");
  const FrequencyRange range{{read_above_0(field.at("lowest_hz"))},
                             {read_above_0(field.at("highest_hz"))}};
  if (range.empty()) field.at("highest_hz").fail("lowest_hz or more");
  return range;
}

void read_criteria(const Field& root, ChoiceCriteria& criteria) {
  if_given(root, "slowdown", [&](const Field& field) {
    criteria.slowdown = field.non_negative();
    if (criteria.slowdown > 1) field.fail("a share from 0 to 1");
  });
  if_given(root, "risk",
           [&](const Field& field) { criteria.risk = read_name(field, risk_of, kRiskNames); });
  if_given(root, "objective", [&](const Field& field) {
    criteria.objective = read_name<Objective>(field, objective_of, kObjectiveNames);
  });
  if_given(root, "grouping", [&](const Field& field) {
    criteria.grouping = read_name(field, grouping_of, kGroupingNames);
  });
  if_given(root, "least_nodes",
           [&](const Field& field) { criteria.least_nodes = read_count(field, 1); });
  if_given(root, "memory_per_rank_bytes",
           [&](const Field& field) { criteria.memory_per_rank = {field.unsigned_integer()}; });
  if_given(root, "computation", [&](const Field& field) {
    criteria.computation = read_name(field, computation_method_of, kComputationMethodNames);
  });
  if_given(root, "frequency",
           [&](const Field& field) { criteria.frequencies = read_frequencies(field); });
  if_given(root, "clocks_follow_loads",
           [&](const Field& field) { criteria.clocks_follow_loads = field.boolean(); });
}

void read_files(const Field& root, PlanRequest& request) {
  if_given(root, "machine", [&](const Field& field) { request.machine = read_text(field); });
  if_given(root, "model", [&](const Field& field) { request.model = read_text(field); });
  if_given(root, "profiles", [&](const Field& field) {
    if (field.array_size() > kMostProfiles)
      field.fail(fmt::format("at most {} profiles", kMostProfiles));
    field.for_each([&](const Field& file) { request.profiles.emplace_back(read_text(file)); });
  });
}

}  // namespace

std::optional<Risk> risk_of(std::string_view name) {
  if (name == kPoint) return Risk::kPoint;
  if (name == kInterval) return Risk::kInterval;
  return std::nullopt;
}

std::string_view name_of(Risk risk) {
  return risk == Risk::kPoint ? kPoint : kInterval;
}

std::string compared_clocks(const PlanRequest& request) {
  std::string clocks;
  if (request.sets_frequencies && request.frequencies)
    clocks = fmt::format("{:.0f}-{:.0f} kHz", request.frequencies->lowest.value / 1e3,
                         request.frequencies->highest.value / 1e3);
  if (request.clocks_follow_loads) clocks += clocks.empty() ? "by loads" : " by loads";
  return clocks;
}

PlanRequest parse_plan_request(std::string_view text, std::string_view source) {
  const DocumentLimits limits{.file_bytes = kMostRequestBytes};
  const Document document =
      Document::parse(text, source, PlanRequest::kFormat, PlanRequest::kVersion, limits);
  return read_plan_request(document.root());
}

PlanRequest read_plan_request(const Field& root) {
  PlanRequest request;
  request.user = read_text(root.at("user"));
  request.label = read_text(root.at("label"));
  request.ranks = read_count(root.at("ranks"), 1, kMostRanks);
  request.store = read_text(root.at("store"));
  if (request.store.empty()) root.at("store").fail("a directory");
  if_given(root, "make_store", [&](const Field& field) { request.make_store = field.boolean(); });
  if_given(root, "nodes", [&](const Field& field) { request.nodes = read_count(field, 1); });
  if_given(root, "keeps_nodes", [&](const Field& field) { request.keeps_nodes = field.boolean(); });
  if_given(root, "steps_are_safe",
           [&](const Field& field) { request.steps_are_safe = field.boolean(); });
  if_given(root, "cores_per_rank",
           [&](const Field& field) { request.cores_per_rank = read_count(field, 1); });
  if_given(root, "packs_threads",
           [&](const Field& field) { request.packs_threads = field.boolean(); });
  if_given(root, "sets_frequencies",
           [&](const Field& field) { request.sets_frequencies = field.boolean(); });
  if_given(root, "time_limit_s",
           [&](const Field& field) { request.time_limit = Seconds{read_above_0(field)}; });
  if_given(root, "program", [&](const Field& field) {
    request.program = {read_text(field.at("path")), read_text(field.at("build_id"))};
  });
  if_given(root, "script", [&](const Field& field) { request.script = read_text(field); });
  if_given(root, "size", [&](const Field& field) { request.size = read_above_0(field); });
  read_criteria(root, request);
  read_files(root, request);
  if_given(root, "samples", [&](const Field& field) { request.samples = read_count(field, 1, 2); });
  if_given(root, "explore", [&](const Field& field) {
    request.explore = read_name<Explore>(field, explore_of, kExploreNames);
  });
  if_given(root, "withdraw", [&](const Field& field) { request.withdraw = field.boolean(); });
  if_given(root, "check_every",
           [&](const Field& field) { request.check_every = field.unsigned_32(); });
  if_given(root, "every_pattern",
           [&](const Field& field) { request.every_pattern = field.boolean(); });
  if_given(root, "answer_within_s", [&](const Field& field) {
    request.answer_within = Seconds{std::min(field.non_negative(), kLongestAnswer_s)};
  });
  if_given(root, "keep_days",
           [&](const Field& field) { request.keep_days = read_count(field, 0, kMostKeepDays); });
  if_given(root, "quota_files",
           [&](const Field& field) { request.quota_files = field.unsigned_integer(); });
  if_given(root, "quota_bytes",
           [&](const Field& field) { request.quota.value = field.unsigned_integer(); });
  if_given(root, "dry_run", [&](const Field& field) { request.dry_run = field.boolean(); });
  return request;
}

std::string to_json(const PlanRequest& request) {
  ordered_json document = new_document(PlanRequest::kFormat, PlanRequest::kVersion);
  write_plan_request(request, document);
  return document.dump() + "\n";
}

void write_plan_request(const PlanRequest& request, ordered_json& document) {
  document["user"] = encoded(request.user);
  document["label"] = encoded(request.label);
  document["ranks"] = request.ranks;
  document["store"] = encoded(request.store.string());
  document["make_store"] = request.make_store;
  if (request.nodes) document["nodes"] = *request.nodes;
  if (request.keeps_nodes) document["keeps_nodes"] = true;
  if (request.steps_are_safe) document["steps_are_safe"] = true;
  document["cores_per_rank"] = request.cores_per_rank;
  if (request.packs_threads) document["packs_threads"] = true;
  if (request.sets_frequencies) document["sets_frequencies"] = true;
  if (request.time_limit) document["time_limit_s"] = request.time_limit->value;
  if (!request.program.path.empty())
    document["program"] = {{"path", encoded(request.program.path)},
                           {"build_id", encoded(request.program.build_id)}};
  if (!request.script.empty()) document["script"] = encoded(request.script);
  if (request.size) document["size"] = *request.size;
  document["slowdown"] = request.slowdown;
  document["risk"] = name_of(request.risk);
  document["objective"] = name_of(request.objective);
  document["grouping"] = name_of(request.grouping);
  document["least_nodes"] = request.least_nodes;
  if (request.memory_per_rank != Bytes{})
    document["memory_per_rank_bytes"] = request.memory_per_rank.value;
  if (request.computation) document["computation"] = name_of(*request.computation);
  document["frequency"] = encoded(request.frequencies);
  if (request.clocks_follow_loads) document["clocks_follow_loads"] = true;
  document["machine"] = encoded(request.machine.string());
  document["model"] = encoded(request.model.string());
  document["profiles"] = ordered_json::array();
  for (const std::filesystem::path& file : request.profiles)
    document["profiles"].push_back(encoded(file.string()));
  document["samples"] = request.samples;
  document["explore"] = name_of(request.explore);
  document["withdraw"] = request.withdraw;
  document["check_every"] = request.check_every;
  document["every_pattern"] = request.every_pattern;
  if (request.answer_within) document["answer_within_s"] = request.answer_within->value;
  document["keep_days"] = request.keep_days;
  if (request.quota_files != 0) document["quota_files"] = request.quota_files;
  if (request.quota != Bytes{}) document["quota_bytes"] = request.quota.value;
  document["dry_run"] = request.dry_run;
}

}  // namespace huddle

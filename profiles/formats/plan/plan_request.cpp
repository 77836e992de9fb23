#include "profiles/formats/plan/plan_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiles/formats/document/members.hpp"
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

std::string read_any_text(const Field& field) {
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

ordered_json json_of_any_text(const std::string& text) {
  if (utf8(text) == text) return text;
  ordered_json bytes = ordered_json::array();
  for (const char byte : text) bytes.push_back(static_cast<unsigned char>(byte));
  return bytes;
}

/// A name of a job or a file, which may hold any bytes, where JSON holds UTF-8 only: then they are
/// an array.
template <class Text>
class AnyText {
 public:
  explicit AnyText(Text& text) : text_(text) {}
  void read(const Field& field) const {
    if constexpr (!std::is_const_v<Text>) text_ = read_any_text(field);
  }
  [[nodiscard]] ordered_json json() const {
    return json_of_any_text(std::filesystem::path(text_).string());
  }
  [[nodiscard]] bool is_set() const { return !text_.empty(); }
  [[nodiscard]] const Text& value() const { return text_; }

 private:
  Text& text_;
};

template <class Members>
void describe_frequencies(Members& members,
                          In<Members, std::optional<FrequencyRange>>& frequencies) {
  std::string policy(kRange);
  if (!frequencies)
    policy = kKeepFrequency;
  else if (*frequencies == FrequencyRange{})
    policy = kAuto;
  members.required("policy", policy, [](const Field& field, const std::string& read) {
    if (read != kKeepFrequency && read != kAuto && read != kRange)
      field.fail("keep, auto or range");
  });
  if constexpr (Members::kReads) frequencies.reset();
  if (policy == kKeepFrequency) return;
  auto& range = part(members, frequencies);
  if (policy == kAuto) return;
  members.required("lowest_hz", range.lowest, kAboveZero);
  members.required("highest_hz", range.highest, kAboveZero,
                   [&](const Field& field, const Hertz& /*highest*/) {
                     if (range.empty()) field.fail("lowest_hz or more");
                   });
}

template <class Members>
void describe_criteria(Members& members, In<Members, ChoiceCriteria>& criteria) {
  members.given("slowdown", criteria.slowdown, kNotNegative, [](const Field& field, double value) {
    if (value > 1) field.fail("a share from 0 to 1");
  });
  members.given("risk", named(criteria.risk, risk_of, kRiskNames));
  members.given("objective", named(criteria.objective, objective_of, kObjectiveNames));
  members.given("grouping", named(criteria.grouping, grouping_of, kGroupingNames));
  members.given("least_nodes", criteria.least_nodes, at_least(1U));
  members.optional("shares_nodes", criteria.shares_nodes);
  members.optional("memory_per_rank_bytes", criteria.memory_per_rank);
  members.optional("computation",
                   named(criteria.computation, computation_method_of, kComputationMethodNames));
  if (members.present("frequency", true))
    members.within("frequency",
                   [&](auto& inner) { describe_frequencies(inner, criteria.frequencies); });
  members.optional("clocks_follow_loads", criteria.clocks_follow_loads);
}

template <class Members>
void describe_files(Members& members, In<Members, PlanRequest>& request) {
  members.given("machine", AnyText(request.machine));
  members.given("model", AnyText(request.model));
  if constexpr (Members::kReads) {
    members.check("profiles", [&](const Field& field) {
      if (field.array_size() > kMostProfiles)
        field.fail(fmt::format("at most {} profiles", kMostProfiles));
      field.for_each(
          [&](const Field& file) { request.profiles.emplace_back(read_any_text(file)); });
    });
  } else {
    ordered_json files = ordered_json::array();
    for (const std::filesystem::path& file : request.profiles)
      files.push_back(json_of_any_text(file.string()));
    members.json("profiles", std::move(files));
  }
}

}  // namespace

template <class Members>
void describe(Members& members, In<Members, PlanRequest>& request) {
  members.required("user", AnyText(request.user));
  members.required("label", AnyText(request.label));
  members.required("ranks", request.ranks, at_most(kMostRanks), at_least(1U));
  members.required("store", AnyText(request.store),
                   [](const Field& field, const std::filesystem::path& store) {
                     if (store.empty()) field.fail("a directory");
                   });
  members.given("make_store", request.make_store);
  members.optional("nodes", request.nodes, at_least(1U));
  members.optional("keeps_nodes", request.keeps_nodes);
  members.optional("steps_are_safe", request.steps_are_safe);
  members.given("members", request.members, at_least(1U));
  members.given("cores_per_rank", request.cores_per_rank, at_least(1U));
  members.optional("packs_threads", request.packs_threads);
  members.optional("sets_frequencies", request.sets_frequencies);
  members.optional("time_limit_s", request.time_limit, kAboveZero);
  if (members.present("program", is_set(request.program)))
    members.within("program", [&](auto& program) {
      program.required("path", AnyText(request.program.path));
      program.required("build_id", AnyText(request.program.build_id));
    });
  members.optional("script", AnyText(request.script));
  members.optional("size", request.size, kAboveZero);
  describe_criteria(members, request);
  describe_files(members, request);
  members.given("samples", request.samples, at_most(2U), at_least(1U));
  members.given("sample_slowdown", request.sample_slowdown, kNotNegative);
  members.given("explore", named(request.explore, explore_of, kExploreNames));
  members.given("withdraw", request.withdraw);
  members.given("check_every", request.check_every);
  members.given("every_pattern", request.every_pattern);
  members.optional("answer_within_s", request.answer_within);
  members.given("keep_days", request.keep_days, at_most(kMostKeepDays));
  members.optional("quota_files", request.quota_files);
  members.optional("quota_bytes", request.quota);
  members.given("dry_run", request.dry_run);
}

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
  return parse_document<PlanRequest>(text, source, {.file_bytes = kMostRequestBytes});
}

std::string to_json(const PlanRequest& request) {
  return document_of(request).dump() + "\n";
}

void read_value(const Field& field, PlanRequest& request) {
  MemberReader members(field);
  describe(members, request);
  if (request.answer_within)
    request.answer_within = std::min(*request.answer_within, Seconds{kLongestAnswer_s});
}

nlohmann::ordered_json json_value(const PlanRequest& request) {
  return object_of(request);
}

}  // namespace huddle

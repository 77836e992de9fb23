#include "profiles/formats/outcome/outcome.hpp"

#include <algorithm>
#include <array>

#include "profiles/files/own_file.hpp"
#include "profiles/formats/document/document.hpp"
#include "profiles/formats/plan/plan_request_json.hpp"

namespace huddle {
namespace {

constexpr std::array<std::string_view, 4> kTreatments = {"measured", "packed", "left", "grouped"};
constexpr std::uint32_t kMostStatus = 255;

Treatment read_treatment(const Field& field) {
  for (std::size_t i = 0; i < kTreatments.size(); ++i)
    if (field.text() == kTreatments[i]) return static_cast<Treatment>(i);
  field.fail("\"measured\", \"packed\", \"left\" or \"grouped\"");
}

std::uint32_t read_count(const Field& field) {
  const std::uint32_t count = field.unsigned_32();
  if (count == 0) field.fail("1 or more");
  return count;
}

UtcTime read_time(const Field& field) {
  const auto time = parse_utc(field.text());
  if (!time) field.fail("a time of UTC such as 2026-11-22T00:39:49.123Z");
  return *time;
}

OutcomeRun read_run(const Field& field) {
  OutcomeRun run;
  run.cluster = field.at("cluster").text();
  run.job = field.at("job").unsigned_integer();
  if (run.job == 0) field.at("job").fail("1 or more");
  if (field.has("step")) run.step = field.at("step").unsigned_32();
  if (field.has("array_job"))
    run.array = OutcomeRun::ArrayTask{field.at("array_job").unsigned_integer(),
                                      field.at("array_task").unsigned_32()};
  run.nodes = read_count(field.at("nodes"));
  run.start = read_time(field.at("start"));
  if (field.has("tasks")) run.tasks = field.at("tasks").unsigned_32();
  if (field.has("placed_by")) run.placed_by = field.at("placed_by").text();
  if (field.has("program")) run.program = field.at("program").text();
  if (field.has("launched")) {
    const Field launched = field.at("launched");
    run.launched = {launched.at("path").text(), launched.at("build_id").text()};
  }
  return run;
}

OutcomeEnd read_end(const Field& field) {
  OutcomeEnd end{{field.at("elapsed_s").non_negative()},
                 static_cast<int>(field.at("status").unsigned_32(kMostStatus))};
  if (field.has("job_elapsed_s"))
    end.job_elapsed = Seconds{field.at("job_elapsed_s").non_negative()};
  return end;
}

std::optional<Joules> read_energy(const Field& field) {
  if (!field.has("energy_j")) return std::nullopt;
  return Joules{field.at("energy_j").non_negative()};
}

OutcomePrediction read_prediction(const Field& field) {
  OutcomePrediction prediction;
  prediction.pattern = field.at("pattern").text();
  prediction.time.value = field.at("time_s").non_negative();
  prediction.slowdown = field.at("slowdown").number();
  if (field.has("slowdown_bound"))
    prediction.slowdown_bound = field.at("slowdown_bound").non_negative();
  prediction.energy = read_energy(field);
  if (field.has("frequency_hz"))
    prediction.frequency = Hertz{field.at("frequency_hz").non_negative()};
  const Field reference = field.at("reference");
  prediction.reference_nodes = read_count(reference.at("nodes"));
  prediction.reference_time.value = reference.at("time_s").non_negative();
  prediction.reference_energy = read_energy(reference);
  if (field.has("time_low_s")) prediction.time_low = Seconds{field.at("time_low_s").non_negative()};
  if (field.has("time_high_s"))
    prediction.time_high = Seconds{field.at("time_high_s").non_negative()};
  if (field.has("coverage")) {
    prediction.coverage = coverage_of(field.at("coverage").text());
    if (!prediction.coverage) field.at("coverage").fail(kCoverageNames);
  }
  if (field.has("rests_on")) prediction.rests_on = field.at("rests_on").text();
  return prediction;
}

Outcome read_outcome(const Document& document) {
  const Field root = document.root();
  Outcome outcome;
  outcome.user = root.at("user").text();
  outcome.label = root.at("label").text();
  outcome.ranks = read_count(root.at("ranks"));
  if (root.has("script")) outcome.script = root.at("script").text();
  outcome.treatment = read_treatment(root.at("treatment"));
  outcome.reason = root.at("reason").text();
  if (root.has("messages"))
    root.at("messages").for_each([&](const Field& message) {
      outcome.messages.push_back(message.text());
    });
  if (root.has("frequencies_set")) outcome.frequencies_set = root.at("frequencies_set").boolean();
  if (root.has("request")) outcome.request = read_plan_request(root.at("request"));
  if (root.has("plan")) outcome.plan_file = root.at("plan").text();
  if (root.has("profile")) outcome.profile_file = root.at("profile").text();
  if (root.has("prediction")) outcome.prediction = read_prediction(root.at("prediction"));
  if (!root.has("run")) return outcome;
  outcome.run = read_run(root.at("run"));
  if (root.has("end")) outcome.end = read_end(root.at("end"));
  return outcome;
}

nlohmann::ordered_json encoded(const OutcomeRun& run) {
  nlohmann::ordered_json json;
  json["cluster"] = utf8(run.cluster);
  json["job"] = run.job;
  if (run.step) json["step"] = *run.step;
  if (run.array) {
    json["array_job"] = run.array->job;
    json["array_task"] = run.array->task;
  }
  json["nodes"] = run.nodes;
  json["start"] = text_of(run.start);
  if (run.tasks) json["tasks"] = *run.tasks;
  if (!run.placed_by.empty()) json["placed_by"] = utf8(run.placed_by);
  if (!run.program.empty()) json["program"] = utf8(run.program);
  if (!run.launched.path.empty())
    json["launched"] = {{"path", utf8(run.launched.path)},
                        {"build_id", utf8(run.launched.build_id)}};
  return json;
}

nlohmann::ordered_json encoded(const OutcomePrediction& prediction) {
  nlohmann::ordered_json reference;
  reference["nodes"] = prediction.reference_nodes;
  reference["time_s"] = prediction.reference_time.value;
  if (prediction.reference_energy) reference["energy_j"] = prediction.reference_energy->value;
  nlohmann::ordered_json json;
  json["pattern"] = utf8(prediction.pattern);
  json["time_s"] = prediction.time.value;
  if (prediction.time_low) json["time_low_s"] = prediction.time_low->value;
  if (prediction.time_high) json["time_high_s"] = prediction.time_high->value;
  json["slowdown"] = prediction.slowdown;
  if (prediction.slowdown_bound) json["slowdown_bound"] = *prediction.slowdown_bound;
  if (prediction.coverage) json["coverage"] = name_of(*prediction.coverage);
  if (!prediction.rests_on.empty()) json["rests_on"] = utf8(prediction.rests_on);
  if (prediction.energy) json["energy_j"] = prediction.energy->value;
  if (prediction.frequency) json["frequency_hz"] = prediction.frequency->value;
  json["reference"] = std::move(reference);
  return json;
}

}  // namespace

std::string_view name_of(Treatment treatment) {
  return kTreatments[static_cast<std::size_t>(treatment)];
}

Outcome parse_outcome(std::string_view text, std::string_view source) {
  return read_outcome(Document::parse(text, source, Outcome::kFormat, Outcome::kVersion));
}

Outcome load_outcome(const std::filesystem::path& path) {
  return parse_outcome(read_own_file(path, kMostOutcomeBytes), path.string());
}

std::string to_json(const Outcome& outcome) {
  nlohmann::ordered_json json = new_document(Outcome::kFormat, Outcome::kVersion);
  json["user"] = utf8(outcome.user);
  json["label"] = utf8(outcome.label);
  json["ranks"] = outcome.ranks;
  if (!outcome.script.empty()) json["script"] = utf8(outcome.script);
  json["treatment"] = name_of(outcome.treatment);
  json["reason"] = utf8(outcome.reason);
  for (const std::string& message : outcome.messages) json["messages"].push_back(utf8(message));
  if (outcome.frequencies_set) json["frequencies_set"] = true;
  if (outcome.request) write_plan_request(*outcome.request, json["request"]);
  if (!outcome.plan_file.empty()) json["plan"] = utf8(outcome.plan_file);
  if (!outcome.profile_file.empty()) json["profile"] = utf8(outcome.profile_file);
  if (outcome.run) json["run"] = encoded(*outcome.run);
  if (outcome.run && outcome.end) {
    json["end"] = {{"elapsed_s", outcome.end->elapsed.value}, {"status", outcome.end->status}};
    if (outcome.end->job_elapsed) json["end"]["job_elapsed_s"] = outcome.end->job_elapsed->value;
  }
  if (outcome.prediction) json["prediction"] = encoded(*outcome.prediction);
  return json.dump() + "\n";
}

double OutcomePrediction::least_slowdown() const {
  if (!time_low || reference_time <= Seconds{}) return std::min(slowdown, 0.0);
  return std::min({slowdown, *time_low / reference_time - 1, 0.0});
}

OutcomePrediction prediction_of(const Plan& plan) {
  OutcomePrediction prediction;
  prediction.pattern = plan.chosen.pattern;
  prediction.time = plan.chosen.time;
  prediction.slowdown = plan.chosen.slowdown;
  prediction.slowdown_bound = plan.slowdown_bound;
  prediction.energy = plan.chosen.energy;
  prediction.frequency = plan.frequency;
  prediction.reference_nodes = plan.reference.nodes;
  prediction.reference_time = plan.reference.time;
  prediction.reference_energy = plan.reference.energy;
  prediction.time_low = plan.chosen.time_low;
  prediction.time_high = plan.chosen.time_high;
  prediction.coverage = plan.chosen.coverage;
  prediction.rests_on = plan.chosen.rests_on;
  return prediction;
}

}  // namespace huddle

#include "profiles/formats/outcome/outcome.hpp"

#include <algorithm>
#include <array>

#include "profiles/files/own_file.hpp"
#include "profiles/formats/document/members.hpp"
#include "profiles/formats/plan/plan_request_json.hpp"

namespace huddle {
namespace {

constexpr std::array<std::string_view, 4> kTreatments = {"measured", "packed", "left", "grouped"};
constexpr std::uint32_t kMostStatus = 255;

}  // namespace

std::string_view name_of(Treatment treatment) {
  return kTreatments[static_cast<std::size_t>(treatment)];
}

template <class Members>
void describe(Members& members, In<Members, OutcomeRun>& run) {
  members.required("cluster", run.cluster);
  members.required("job", run.job, at_least(1U));
  members.optional("step", run.step);
  if (members.present("array_job", run.array.has_value())) {
    auto& array = part(members, run.array);
    members.required("array_job", array.job);
    members.required("array_task", array.task);
  }
  members.required("nodes", run.nodes, at_least(1U));
  members.required("start", run.start);
  members.optional("tasks", run.tasks);
  members.optional("placed_by", run.placed_by);
  members.optional("program", run.program);
  members.optional("launched", run.launched);
}

constexpr auto kShareOfGroup = [](const Field& field, double share) {
  if (!(share > 0 && share < 1)) field.fail("a number above 0 and below 1");
};

template <class Members>
void describe(Members& members, In<Members, ControlDraw>& control) {
  members.required("share", control.share, kShareOfGroup);
  members.required("ticket", control.ticket);
  members.required("drawn", control.drawn);
  members.required("nodes", control.nodes, at_least(1U));
  members.required("slowdown", control.slowdown);
}

template <class Members>
void describe(Members& members, In<Members, OutcomeEnd>& end) {
  members.required("elapsed_s", end.elapsed);
  members.required("status", end.status, at_most(kMostStatus));
  members.optional("job_elapsed_s", end.job_elapsed);
}

template <class Members>
void describe(Members& members, In<Members, OutcomePrediction>& prediction) {
  members.required("pattern", prediction.pattern);
  members.required("time_s", prediction.time);
  members.optional("time_low_s", prediction.time_low);
  members.optional("time_high_s", prediction.time_high);
  members.required("slowdown", prediction.slowdown);
  members.optional("slowdown_bound", prediction.slowdown_bound, kNotNegative);
  members.optional("coverage", named(prediction.coverage, coverage_of, kCoverageNames));
  members.optional("rests_on", prediction.rests_on);
  members.optional("energy_j", prediction.energy);
  members.optional("frequency_hz", prediction.frequency);
  members.within("reference", [&](auto& reference) {
    reference.required("nodes", prediction.reference_nodes, at_least(1U));
    reference.required("time_s", prediction.reference_time);
    reference.optional("energy_j", prediction.reference_energy);
  });
}

template <class Members>
void describe(Members& members, In<Members, Outcome>& outcome) {
  members.required("user", outcome.user);
  members.required("label", outcome.label);
  members.required("ranks", outcome.ranks, at_least(1U));
  members.optional("script", outcome.script);
  members.required("treatment", named(outcome.treatment, kTreatments,
                                      "\"measured\", \"packed\", \"left\" or \"grouped\""));
  members.required("reason", outcome.reason);
  members.optional("messages", outcome.messages);
  members.optional("frequencies_set", outcome.frequencies_set);
  members.optional("request", outcome.request);
  members.optional("control", outcome.control);
  members.optional("plan", outcome.plan_file);
  members.optional("profile", outcome.profile_file);
  members.optional("run", outcome.run);
  if (outcome.run) members.optional("end", outcome.end);
  members.optional("prediction", outcome.prediction);
}

Outcome parse_outcome(std::string_view text, std::string_view source) {
  return parse_document<Outcome>(text, source);
}

Outcome load_outcome(const std::filesystem::path& path) {
  return parse_outcome(files::read_own_file(path, kMostOutcomeBytes), path.string());
}

std::string to_json(const Outcome& outcome) {
  return document_of(outcome).dump() + "\n";
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

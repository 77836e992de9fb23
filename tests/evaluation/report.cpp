#include "tests/evaluation/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace huddle::evaluation {
namespace {

/// Sum, number and largest of some values.
struct Summary {
  double sum = 0;
  double count = 0;
  double largest = 0;

  void add(double value) {
    sum += value;
    ++count;
    largest = std::max(largest, value);
  }
  [[nodiscard]] double mean() const { return count > 0 ? sum / count : 0; }
};

/// As a second run may be predicted to be by default.
constexpr double kSlowSecond = 0.3;

struct Row {
  Summary computation;
  Summary time;
  Summary energy;
  Summary correlation;
  Summary slowdown;
  Summary regret;
  Summary good;
  Summary saved;
  Summary could_save;
  Summary covered;
  unsigned over_bound = 0;
  unsigned far_over_bound = 0;
  Summary second;
  unsigned slow_seconds = 0;

  void add(const Score& score) {
    for (const double error : score.computation_errors) computation.add(error);
    for (const double error : score.time_errors) time.add(error);
    for (const double error : score.energy_errors) energy.add(error);
    correlation.add(score.rank_correlation);
    slowdown.add(score.slowdown);
    // Who breaks the bound saves more than the best that keeps it: that is no merit.
    if (score.slowdown <= kBound) regret.add(score.regret);
    good.add(score.good ? 1 : 0);
    saved.add(score.saved);
    if (!std::isnan(score.covered)) covered.add(score.covered);
    could_save.add(score.could_save);
    if (score.slowdown > kBound) ++over_bound;
    if (score.slowdown > kBound + 0.01) ++far_over_bound;
    if (std::isnan(score.second_slowdown)) return;
    second.add(score.second_slowdown);
    if (score.second_slowdown > kSlowSecond) ++slow_seconds;
  }
};

constexpr std::string_view kHeading =
    "| | cases | computation: mean error | worst | total time: mean error | worst | in interval "
    "| energy: mean error | Kendall's tau | best, or within 2 % | regret | slower than 5 % "
    "| than 6 % | largest slowdown | energy saved | could be "
    "| second runs | slower | at most | by more than 30 % |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

std::string line_of(const std::string& name, const Row& row) {
  const auto percent = [](double share) { return fmt::format("{:.1f} %", share * 100); };
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} | {} | {:.2f} | {} | {} | {} | {} | {} | {} | {} | {} | "
      "{} "
      "| {} | {} |\n",
      name, row.good.count, fmt::format("{:.2f} %", row.computation.mean() * 100),
      percent(row.computation.largest), percent(row.time.mean()), percent(row.time.largest),
      percent(row.covered.mean()), percent(row.energy.mean()), row.correlation.mean(),
      percent(row.good.mean()), percent(row.regret.mean()), row.over_bound, row.far_over_bound,
      percent(row.slowdown.largest), percent(row.saved.mean()), percent(row.could_save.mean()),
      row.second.count, percent(row.second.mean()), percent(row.second.largest), row.slow_seconds);
}

using Label = std::function<std::string(const Case&)>;

std::string lines_by(const std::vector<const CaseScore*>& scores, const Label& label) {
  std::vector<std::string> names;  // as they come: sizes ascend, which texts would not
  for (const CaseScore* score : scores) {
    const std::string name = label(score->subject);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string lines;
  for (const std::string& name : names) {
    Row row;
    for (const CaseScore* score : scores)
      if (label(score->subject) == name) row.add(score->score);
    lines += line_of(name, row);
  }
  return lines;
}

std::string ranks_label(const Case& subject) {
  return fmt::format("{} ranks", subject.ranks);
}

std::string topology_label(const Case& subject) {
  return subject.cluster.shape() + (subject.cluster.has_training() ? "" : ", without training");
}

std::string contention_label(const Case& subject) {
  return fmt::format("contention: {}", name_of(subject.cluster.contention));
}

std::string table_of(const std::vector<CaseScore>& scores, Counting counting) {
  std::vector<const CaseScore*> chosen;
  for (const CaseScore& score : scores)
    if (score.counting == counting) chosen.push_back(&score);
  std::string table(kHeading);
  for (const Label& label : {Label([](const Case&) { return std::string("all"); }),
                             Label(ranks_label), Label(topology_label), Label(contention_label),
                             Label([](const Case& subject) { return subject.program.name; })})
    table += lines_by(chosen, label);
  return table;
}

}  // namespace

std::string report_of(const std::vector<CaseScore>& scores, bool trained) {
  return fmt::format(
      "{}\n\n### Profiles with hardware events\n\n{}\n### Profiles with times only\n\n{}",
      trained ? "Models were trained on programs that are not in these tables."
              : "No model was trained.",
      table_of(scores, Counting::kEvents), table_of(scores, Counting::kTimesOnly));
}

std::string nonsense_in(const std::vector<CaseScore>& scores) {
  if (scores.empty()) return "there are no scores";
  bool predicted = false;
  for (const CaseScore& score : scores) {
    const Score& values = score.score;
    const auto sane = [](double error) { return std::isfinite(error) && error >= 0; };
    const bool errors_sane =
        std::all_of(values.computation_errors.begin(), values.computation_errors.end(), sane) &&
        std::all_of(values.time_errors.begin(), values.time_errors.end(), sane);
    // Where every pattern was measured there is nothing to be wrong about.
    predicted = predicted || !values.computation_errors.empty();
    if (!errors_sane) return score.subject.name() + ": errors that are none";
    if (std::abs(values.rank_correlation) > 1 + 1e-9)
      return score.subject.name() + ": a correlation above 1";
    if (values.could_save < 0 || values.could_save >= 1)
      return score.subject.name() + ": the best pattern is worse than the reference";
    if (values.slowdown <= kBound && values.regret < -1e-9)
      return score.subject.name() + ": better than the best";
  }
  return predicted ? "" : "nothing was predicted: every pattern was measured";
}

}  // namespace huddle::evaluation

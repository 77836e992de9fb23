#include "aggregator/predict/computation/paper_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace huddle::predict {
namespace {

constexpr std::size_t kLeastGroups = 3;

const PhaseSample* sample_on(const PhaseGroupSamples& group, const Pattern& pattern) {
  for (const PhaseSample& sample : group.samples)
    if (sample.pattern == pattern) return &sample;
  return nullptr;
}

// IPC and event rates of a phase group on the sample patterns.
struct Observed {
  std::vector<double> ipc;
  std::vector<std::vector<double>> rates;

  [[nodiscard]] double mean_ipc() const {
    double sum = 0;
    for (const double value : ipc) sum += value;
    return sum / static_cast<double>(ipc.size());
  }
};

// Relative to the first sample where no events were counted.
std::optional<double> ipc_of(const PhaseSample& sample, const PhaseSample& first,
                             bool with_events) {
  return with_events ? sample.ipc() : std::optional(first.time / sample.time);
}

std::optional<Observed> observe(const PhaseGroupSamples& group, const PaperModel& model) {
  Observed observed;
  const PhaseSample* first = sample_on(group, model.sample_patterns.front());
  for (const Pattern& pattern : model.sample_patterns) {
    const PhaseSample* sample = sample_on(group, pattern);
    if (sample == nullptr || first == nullptr) return {};
    const std::optional<double> ipc = ipc_of(*sample, *first, model.with_events);
    if (!ipc) return {};
    observed.ipc.push_back(*ipc);
    std::vector<double>& rates = observed.rates.emplace_back();
    for (const std::string& event : model.events) {
      const std::optional<double> rate = sample->rate(event);
      if (!rate) return {};
      rates.push_back(*rate);
    }
  }
  return observed;
}

struct Row {
  const PhaseGroupSamples* group = nullptr;
  std::size_t program = 0;
  double target_ipc = 0;
  double mean_ipc = 0;
};

// The phase groups that can teach what happens on `target`.
std::vector<Row> rows_for(const std::vector<ProgramSamples>& programs, const PaperModel& model,
                          const Pattern& target) {
  std::vector<Row> rows;
  std::map<std::string, std::size_t> numbers;
  for (const ProgramSamples& program : programs) {
    const std::size_t number = numbers.emplace(program.program, numbers.size()).first->second;
    for (const PhaseGroupSamples& group : program.groups) {
      const PhaseSample* sample = sample_on(group, target);
      const PhaseSample* first = sample_on(group, model.sample_patterns.front());
      const std::optional<Observed> observed = observe(group, model);
      if (sample == nullptr || !observed) continue;
      if (const auto ipc = ipc_of(*sample, *first, model.with_events))
        rows.push_back({&group, number, *ipc, observed->mean_ipc()});
    }
  }
  return rows;
}

RegressionData data_of(const std::vector<Row>& rows, const PaperModel& model) {
  RegressionData data;
  for (const Row& row : rows) {
    const Observed observed = *observe(*row.group, model);
    data.terms.push_back(paper_terms(observed.ipc, observed.rates));
    data.targets.push_back(row.target_ipc);
    data.folds.push_back(row.program);
  }
  return data;
}

std::set<std::string> common_events(const std::vector<ProgramSamples>& programs) {
  std::set<std::string> events;
  bool first = true;
  for (const ProgramSamples& program : programs) {
    if (!program.has_events) continue;
    for (const PhaseGroupSamples& group : program.groups) {
      if (!group.samples.front().ipc()) continue;
      std::set<std::string> here;
      for (const auto& [event, count] : group.samples.front().counts)
        if (event != "instructions" && event != "cycles") here.insert(event);
      if (first) events = here;
      std::erase_if(events, [&](const std::string& event) { return !here.contains(event); });
      first = false;
    }
  }
  return events;
}

// "The hardware event rates that most strongly correlate with the target IPC in the sample
// aggregation patterns": by |r|, mean over sample patterns and targets.
std::vector<std::string> choose_events(const std::vector<ProgramSamples>& programs,
                                       const PaperModel& model, const std::set<Pattern>& targets,
                                       std::size_t most) {
  std::vector<std::pair<double, std::string>> ranked;
  for (const std::string& event : common_events(programs)) {
    double strength = 0;
    for (const Pattern& target : targets) {
      const std::vector<Row> rows = rows_for(programs, model, target);
      for (const Pattern& pattern : model.sample_patterns) {
        std::vector<double> rates;
        std::vector<double> ipc;
        for (const Row& row : rows) {
          const auto rate = sample_on(*row.group, pattern)->rate(event);
          if (!rate) continue;
          rates.push_back(*rate);
          ipc.push_back(row.target_ipc);
        }
        strength += std::abs(correlation(rates, ipc));
      }
    }
    ranked.emplace_back(-strength, event);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> chosen;
  for (const auto& [strength, event] : ranked)
    if (chosen.size() < most) chosen.push_back(event);
  return chosen;
}

void fit_target(PaperModel& model, const std::vector<Row>& rows, const Pattern& target,
                const PaperOptions& options) {
  if (rows.size() < kLeastGroups) return;
  model.fits.push_back({target, {}, fit_linear(data_of(rows, model)), rows.size()});
  if (!model.with_events) return;
  for (std::size_t i = 0; i < kIpcClassBegins.size(); ++i) {
    std::vector<Row> in_class;
    for (const Row& row : rows)
      if (ipc_class_of(row.mean_ipc) == i) in_class.push_back(row);
    if (in_class.size() < options.least_rows || in_class.size() == rows.size()) continue;
    model.fits.push_back({target, i, fit_linear(data_of(in_class, model)), in_class.size()});
  }
}

const PaperFit* fit_for(const PaperModel& model, const Pattern& target, double mean_ipc) {
  const PaperFit* over_all = nullptr;
  for (const PaperFit& fit : model.fits) {
    if (fit.target != target) continue;
    if (!fit.ipc_class)
      over_all = &fit;
    else if (*fit.ipc_class == ipc_class_of(mean_ipc))
      return &fit;
  }
  return over_all;
}

}  // namespace

std::size_t ipc_class_of(double ipc) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < kIpcClassBegins.size(); ++i)
    if (ipc >= kIpcClassBegins[i]) found = i;
  return found;
}

std::vector<double> paper_terms(const std::vector<double>& ipc,
                                const std::vector<std::vector<double>>& rates) {
  std::vector<double> terms = ipc;
  const std::size_t events = rates.empty() ? 0 : rates.front().size();
  for (std::size_t event = 0; event < events; ++event)
    for (std::size_t i = 0; i < ipc.size(); ++i) terms.push_back(ipc[i] * rates[i][event]);
  for (std::size_t event = 0; event < events; ++event)
    for (std::size_t i = 0; i < ipc.size(); ++i)
      for (std::size_t k = i + 1; k < ipc.size(); ++k)
        terms.push_back(rates[i][event] * rates[k][event]);
  for (std::size_t i = 0; i < ipc.size(); ++i)
    for (std::size_t k = i + 1; k < ipc.size(); ++k) terms.push_back(ipc[i] * ipc[k]);
  return terms;
}

bool PaperModel::knows(const Pattern& target) const {
  return std::any_of(fits.begin(), fits.end(),
                     [&](const PaperFit& fit) { return fit.target == target; });
}

std::optional<Seconds> PaperModel::time_on(const Pattern& target,
                                           const PhaseGroupSamples& group) const {
  if (!knows(target)) return {};
  const std::optional<Observed> observed = observe(group, *this);
  if (!observed) return {};
  const PaperFit* fit = fit_for(*this, target, observed->mean_ipc());
  if (fit == nullptr) return {};
  const double ipc = fit->fit.at(paper_terms(observed->ipc, observed->rates));
  if (!(ipc > 0)) return {};
  double log_cycles = 0;  // mean log of T_i IPC_i: instructions over frequency
  for (std::size_t i = 0; i < sample_patterns.size(); ++i)
    log_cycles += std::log(sample_on(group, sample_patterns[i])->time.value * observed->ipc[i]) /
                  static_cast<double>(sample_patterns.size());
  return Seconds{std::exp(log_cycles) / ipc};
}

PaperModel fit_paper_model(const std::vector<ProgramSamples>& programs,
                           const std::vector<Pattern>& sample_patterns, bool with_events,
                           const PaperOptions& options) {
  PaperModel model{sample_patterns, {}, with_events, {}};
  std::sort(model.sample_patterns.begin(), model.sample_patterns.end());
  if (model.sample_patterns.empty()) return model;
  std::set<Pattern> targets;
  for (const ProgramSamples& program : programs)
    for (const Pattern& pattern : program.patterns()) targets.insert(pattern);
  for (const Pattern& pattern : sample_patterns) targets.erase(pattern);
  if (with_events) model.events = choose_events(programs, model, targets, options.most_events);
  for (const Pattern& target : targets)
    fit_target(model, rows_for(programs, model, target), target, options);
  return model;
}

}  // namespace huddle::predict

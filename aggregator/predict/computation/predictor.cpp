#include "aggregator/predict/computation/predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "aggregator/predict/computation/frequency_scaling.hpp"
#include "aggregator/predict/computation/shared_model.hpp"
#include "aggregator/predict/computation/simple_model.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

constexpr double kOtherNodes = 2;   // intervals on nodes of another shape than those of training
constexpr double kOneRun = 0.01;    // standard error of what ran once; assumed
constexpr double kUntested = 0.05;  // standard error on patterns beyond those of training; assumed
constexpr double kUntestedThreads = 0.15;  // the same with several ranks on a core; assumed
constexpr double kOtherSamples = 1.5;      // intervals of the paper's model from other samples
constexpr double kOutside = 3;             // intervals of the paper's model outside of its training
constexpr double kStrangeMisfit = 3;       // in units of the samples' error

// The nodes that a model was learnt on: at least so large.
Pattern largest_pattern(const ComputationModel& model) {
  Pattern largest{1, 1, 1};
  for (const ProgramSamples& program : model.programs)
    for (const Pattern& pattern : program.patterns()) largest = holding_both(largest, pattern);
  return largest;
}

// True if the node goes beyond the trained patterns on any level but that of PUs: the cost of an
// untrained second rank on a core is counted where a pattern has one.
bool beyond(Pattern node, const Pattern& trained) {
  node.pus = 1;
  return !is_within(node, trained);
}

void set_interval(ComputationForecast& forecast, double relative_error) {
  forecast.low = forecast.time * std::exp(-kNinetyPercent * relative_error);
  forecast.high = forecast.time * std::exp(kNinetyPercent * relative_error);
}

// Returns the model with a wider curve of misses: nobody can tell how they grow with more ranks on
// a die than any training program had, and the curve may bend either way from there.
SharedModel with_unknown_curve(const SharedModel& model) {
  constexpr double kBend = 1.2;
  constexpr auto kCurve = static_cast<std::size_t>(MachineParameter::kCacheCurve);
  SharedModel wider;
  wider.widening = model.widening;
  for (std::size_t i = 0; i < model.shapes.size(); ++i)
    for (const auto& [bend, share] :
         {std::pair(-kBend, 0.25), std::pair(0.0, 0.5), std::pair(kBend, 0.25)}) {
      if (model.weights[i] <= 0) continue;
      wider.shapes.push_back(model.shapes[i]);
      wider.shapes.back().machine[kCurve] += bend;
      wider.weights.push_back(model.weights[i] * share);
    }
  return wider;
}

// The computation of the ranks of one class, in units of the mean rank's.
struct ClassLoad {
  double sum = 0;
  double largest = 0;
};

ClassLoad class_load(const std::vector<std::uint32_t>& ranks, std::span<const double> loads) {
  if (loads.empty()) return {static_cast<double>(ranks.size()), 1};
  ClassLoad load;
  for (const std::uint32_t rank : ranks) {
    load.sum += loads[rank];
    load.largest = std::max(load.largest, loads[rank]);
  }
  return load;
}

// True if a model may be expected to know a program: each of its groups, on each pattern that the
// training programs ran on, has an IPC and rates of events between the least and the most of
// theirs, or nearly.
bool within_domain(const ProgramSamples& program, const std::vector<ProgramSamples>& training) {
  constexpr double kNearly = 1.25;
  struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
  };
  std::map<std::pair<Pattern, std::string>, Range> ranges;
  for (const ProgramSamples& known : training)
    for (const PhaseGroupSamples& group : known.groups)
      for (const PhaseSample& sample : group.samples)
        for (const auto& [event, count] : sample.counts)
          if (const auto rate = sample.rate(event)) {
            Range& range = ranges[{sample.pattern, event}];
            range.least = std::min(range.least, *rate);
            range.most = std::max(range.most, *rate);
          }
  for (const PhaseGroupSamples& group : program.groups)
    for (const PhaseSample& sample : group.samples)
      for (const auto& [event, count] : sample.counts) {
        const auto range = ranges.find({sample.pattern, event});
        const auto rate = sample.rate(event);
        if (range == ranges.end() || !rate) continue;
        if (*rate * kNearly < range->second.least || *rate > range->second.most * kNearly)
          return false;
      }
  return true;
}

std::string joined_names_of(const std::vector<Pattern>& patterns) {
  std::string names;
  for (const Pattern& pattern : patterns)
    names += fmt::format("{}{}", names.empty() ? "" : " and ", pattern.name());
  return names;
}

}  // namespace

ComputationPredictor::ComputationPredictor(ProgramSamples samples, const ComputationModel* model,
                                           const PredictorOptions& options)
    : samples_(std::move(samples)), notes_(samples_.notes), doubt_(samples_.doubt) {
  if (samples_.groups.empty()) return;
  const std::optional<Seconds> by_ipc = core_time_by_ipc(samples_);
  if (model != nullptr) {
    choose_method(*model, options);
  } else if (options.method == ComputationMethod::kPaper ||
             options.method == ComputationMethod::kShared) {
    throw UsageError(
        fmt::format("the computation model \"{}\" must be learnt first, see huddle train",
                    name_of(*options.method)));
  } else if (options.method != ComputationMethod::kSimple) {
    assume_contention(options);
  }
  choose_frequency_basis(options.core_time, by_ipc);
  if (method_ == ComputationMethod::kSimple)
    std::erase_if(notes_, [](const std::string& note) {
      return note.find("from times alone") != std::string::npos;  // as it always does
    });
}

void ComputationPredictor::choose_method(const ComputationModel& model,
                                         const PredictorOptions& options) {
  if (options.method == ComputationMethod::kSimple) return;
  if (options.method == ComputationMethod::kPrior) return assume_contention(options);
  const FittedModels& fitted = model.fits_for(samples_.has_events);
  if (!fitted.with_events) samples_ = samples_.times_only();
  SharedModel shared = fitted.shared;
  if (options.node.cores > largest_pattern(model).cores) shared = with_unknown_curve(shared);
  // Training showed with so many samples how much narrower intervals may be; with fewer they stay
  // as wide.
  if (samples_.patterns().size() < fitted.sample_patterns.size())
    shared.widening = std::max(shared.widening, 1.0);
  shared_.emplace(shared, samples_);
  const std::vector<Pattern> on = samples_.patterns();
  const bool as_trained = on == fitted.sample_patterns;
  // Without two samples, the paper's equations have no pairs; nor can its error be known.
  paper_ =
      as_trained || options.method == ComputationMethod::kPaper
          ? (as_trained ? fitted.paper : fit_paper_model(model.programs, on, fitted.with_events))
          : PaperModel{};
  paper_relative_error_ = fitted.paper_relative_error * (as_trained ? 1 : kOtherSamples);
  if (options.method == ComputationMethod::kPaper && paper_.fits.empty())
    throw UsageError(
        fmt::format("the paper's model needs training programs that ran on the patterns of the "
                    "samples, {}, and on others: use the shared model, or sample {}",
                    joined_names_of(on), joined_names_of(fitted.sample_patterns)));
  const bool known = within_domain(samples_, model.programs);
  const bool paper = as_trained && fitted.paper_is_better() && known;
  method_ = options.method.value_or(paper ? ComputationMethod::kPaper : ComputationMethod::kShared);
  if (as_trained && fitted.paper_is_better() && !known && !options.method)
    notes_.emplace_back(
        "this program's rates of events lie outside of those of the training programs, which the "
        "published regression would be extrapolated from: contention for caches and memory is "
        "predicted instead");
  if (method_ == ComputationMethod::kPaper && !known) {
    doubt_ *= kOutside;
    notes_.emplace_back(
        "this program's rates of events lie outside of those of the training programs: the "
        "published regression is extrapolated, and the intervals are wider");
  }
  trained_ = largest_pattern(model);
  look_for_doubts(options.node);
}

void ComputationPredictor::assume_contention(const PredictorOptions& options) {
  shared_.emplace(
      usual_contention(options.memory_streams, ClockCurve({samples_}), options.node.numa_nodes),
      samples_);
  method_ = ComputationMethod::kPrior;
  trained_ = options.node;
  trained_.pus = 1;
  look_for_doubts(options.node);
}

void ComputationPredictor::choose_frequency_basis(std::optional<Seconds> by_runs,
                                                  std::optional<Seconds> by_ipc) {
  if (by_runs)
    frequency_basis_ = FrequencyBasis::kRuns;
  else if (shared_ && method_ != ComputationMethod::kPrior)
    frequency_basis_ = FrequencyBasis::kModel;
  else if (by_ipc)
    frequency_basis_ = FrequencyBasis::kIpc;
  core_time_ = by_runs ? *by_runs : by_ipc.value_or(Seconds{0});
}

void ComputationPredictor::look_for_doubts(const Pattern& node) {
  const bool learnt = method_ != ComputationMethod::kPrior;
  if (samples_.patterns().size() == 1)
    notes_.push_back(
        fmt::format("all samples ran on {}: how contention slows this program down is guessed from "
                    "{}, and the intervals are wide",
                    samples_.patterns().front().name(),
                    learnt ? "the training programs" : "what programs usually do"));
  const double misfit = shared_->misfit();
  unexplained_ = shared_->unexplained();
  if (misfit > kStrangeMisfit) {
    doubt_ *= misfit / kStrangeMisfit;
    notes_.push_back(
        fmt::format("the samples contradict each other: no contention for caches and memory {} "
                    "explains them ({:.0f} times the usual error); the intervals are wider",
                    learnt ? "that the training programs showed" : "of the kinds known", misfit));
  }
  if (beyond(node, trained_)) {
    doubt_ *= kOtherNodes;
    notes_.push_back(fmt::format(
        "the model was learnt on nodes of {} and is used on nodes of {}; the intervals are wider",
        trained_.name(), node.name()));
  }
}

Seconds ComputationPredictor::simple(const Sharing& sharing) const {
  std::vector<ComputationSample> samples;
  for (const Pattern& measured : samples_.patterns())
    samples.push_back({sharing_of(measured), samples_.time_on(measured)});
  return nearest_sample_time(samples, sharing);
}

PredictedTime ComputationPredictor::unmeasured(const Sharing& sharing) const {
  const std::optional<Pattern> pattern = pattern_with(sharing);
  if (method_ == ComputationMethod::kPaper && pattern) {
    Seconds sum;
    bool whole = true;
    for (const PhaseGroupSamples& group : samples_.groups) {
      const std::optional<Seconds> time = paper_.time_on(*pattern, group);
      whole = whole && time.has_value();
      if (time) sum += *time;
    }
    if (whole) return {sum, std::hypot(paper_relative_error_ * doubt_, unexplained_)};
  }
  PredictedTime predicted = shared_->on(sharing);
  predicted.relative_error *= doubt_ / samples_.doubt;  // which it knows already
  double untested = at_most_as_dense(sharing, sharing_of(trained_)) ? 0.0 : kUntested;
  if (sharing.core > trained_.pus) untested = kUntestedThreads;
  predicted.relative_error = std::hypot(predicted.relative_error, unexplained_, untested);
  return predicted;
}

ComputationForecast ComputationPredictor::as_measured(const Pattern& pattern) const {
  ComputationForecast forecast;
  forecast.measured = true;
  forecast.time = samples_.time_on(pattern);
  double error = 0;
  for (const PhaseGroupSamples& group : samples_.groups)
    for (const PhaseSample& sample : group.samples)
      if (sample.pattern == pattern) error += sample.relative_error * (sample.time / forecast.time);
  set_interval(forecast, std::max(error, kOneRun) * samples_.doubt);
  return forecast;
}

ComputationForecast ComputationPredictor::like_nearest(const Sharing& sharing) const {
  ComputationForecast forecast;
  forecast.time = simple(sharing);
  std::optional<Seconds> low;
  std::optional<Seconds> high;
  for (const Pattern& pattern : samples_.patterns()) {
    const ComputationForecast sample = as_measured(pattern);
    const Sharing measured = sharing_of(pattern);
    if (at_most_as_dense(measured, sharing)) low = std::max(low.value_or(*sample.low), *sample.low);
    if (at_most_as_dense(sharing, measured))
      high = std::min(high.value_or(*sample.high), *sample.high);
  }
  if (!high) return forecast;
  // Where no sample shares less, it is taken to be as far below as above.
  if (!low) low = forecast.time * (forecast.time / *high);
  set_interval(forecast, kOneRun);  // samples may contradict each other, but no interval is empty
  forecast.low = std::min(*low, *forecast.low);
  forecast.high = std::max(*high, *forecast.high);
  return forecast;
}

ComputationForecast ComputationPredictor::of_class(const Sharing& sharing) const {
  const std::vector<Pattern> measured = samples_.patterns();
  const std::optional<Pattern> pattern = pattern_with(sharing);
  if (pattern && std::find(measured.begin(), measured.end(), *pattern) != measured.end())
    return as_measured(*pattern);
  if (method_ == ComputationMethod::kSimple) return like_nearest(sharing);
  ComputationForecast forecast;
  const PredictedTime predicted = unmeasured(sharing);
  forecast.time = as_physics_allows(predicted.time, sharing);
  set_interval(forecast, predicted.relative_error);
  return forecast;
}

// Sharing more never makes computation faster, beyond noise: no faster than on any measured pattern
// that shares less, no slower than on any that shares more. Samples that contradict this are left
// to the model.
Seconds ComputationPredictor::as_physics_allows(Seconds time, const Sharing& sharing) const {
  Seconds least;
  Seconds most{std::numeric_limits<double>::infinity()};
  for (const Pattern& pattern : samples_.patterns()) {
    const Sharing measured = sharing_of(pattern);
    const ComputationForecast sample = as_measured(pattern);
    if (at_most_as_dense(measured, sharing)) least = std::max(least, *sample.low);
    if (at_most_as_dense(sharing, measured)) most = std::min(most, *sample.high);
  }
  return least <= most ? std::clamp(time, least, most) : time;
}

ComputationForecast ComputationPredictor::stretched(ComputationForecast forecast,
                                                    const Sharing& sharing,
                                                    double core_slowdown) const {
  Stretch stretch{core_slowdown, 0};
  if (frequency_basis_ == FrequencyBasis::kModel)
    stretch = shared_->stretch(sharing, core_slowdown);
  else if (frequency_basis_ != FrequencyBasis::kNothing)
    stretch = stretch_of(core_time_, forecast.time, core_slowdown);
  forecast.measured = false;
  const Seconds nominal = forecast.time;
  forecast.time = nominal * stretch.mean;
  if (forecast.high)
    set_interval(forecast, std::hypot(std::log(*forecast.high / nominal) / kNinetyPercent,
                                      stretch.deviation / stretch.mean));
  return forecast;
}

ComputationForecast ComputationPredictor::on(const Pattern& pattern, double core_slowdown) const {
  return on(std::vector<RankClass>{{sharing_of(pattern), {0}}}, core_slowdown);
}

ComputationForecast ComputationPredictor::on(const std::vector<RankClass>& classes,
                                             double core_slowdown,
                                             std::span<const double> loads) const {
  ComputationForecast all;
  if (samples_.groups.empty()) return all;
  double ranks = 0;
  for (const RankClass& of_class : classes) ranks += static_cast<double>(of_class.ranks.size());
  all.measured = true;
  all.low = all.high = Seconds{0};
  for (const RankClass& one : classes) {
    ComputationForecast forecast = of_class(one.sharing);
    if (core_slowdown != 1) forecast = stretched(forecast, one.sharing, core_slowdown);
    const ClassLoad load = class_load(one.ranks, loads);
    const double share = load.sum / ranks;
    all.time += share * forecast.time;
    all.slowest = std::max(all.slowest, load.largest * forecast.time);
    all.measured = all.measured && forecast.measured;
    if (all.low && forecast.low) {
      *all.low += share * *forecast.low;
      *all.high += share * *forecast.high;
    } else {
      all.low = all.high = std::nullopt;
    }
  }
  return all;
}

}  // namespace huddle::predict

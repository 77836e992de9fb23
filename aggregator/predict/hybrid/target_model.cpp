#include "aggregator/predict/hybrid/target_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "aggregator/predict/hybrid/published_terms.hpp"

namespace huddle::predict {
namespace {

using Terms = TargetFit::Terms;

constexpr std::size_t kLeastPrograms = 3;
constexpr std::size_t kLeastRows = 10;
constexpr double kCoverage = 0.9;
// Errors that all phases have, whatever shapes say.
constexpr double kCommonError = 0.02;
// A regression may answer with a time that is not above 0: no target takes less than this share of
// the first sample's time.
constexpr double kLeastShare = 0.02;

std::vector<double> correction_terms(std::span<const TeamSample> samples) {
  std::vector<double> terms;
  for (const TeamSample& sample : samples) {
    if (&sample != &samples.front()) terms.push_back(std::log(sample.mean / samples.front().mean));
    terms.insert(terms.end(), sample.event_rates.begin(), sample.event_rates.end());
  }
  return terms;
}

Seconds unit_of(Terms terms, std::span<const TeamSample> samples) {
  return terms == Terms::kPrinted ? Seconds{1} : samples.front().mean;
}

std::vector<double> terms_of(Terms terms, std::span<const TeamSample> samples) {
  return terms == Terms::kCorrection ? correction_terms(samples)
                                     : published_terms(samples, unit_of(terms, samples));
}

double target_of(Terms terms, const TargetRow& row) {
  if (terms == Terms::kCorrection) return row.log_time - row.shapes.median;
  return Seconds{std::exp(row.log_time)} / unit_of(terms, row.samples);
}

// Learnt from the rows but those of one fold; from all of them without a fold.
TargetFit fit_part(Terms terms, std::span<const TargetRow> rows,
                   std::optional<std::size_t> without) {
  RegressionData data;
  for (const TargetRow& row : rows) {
    if (row.fold == without) continue;
    data.terms.push_back(terms_of(terms, row.samples));
    data.targets.push_back(target_of(terms, row));
    data.folds.push_back(row.fold);
  }
  // Without events and with one sample there is nothing to correct by but a constant.
  if (data.terms.front().empty())
    for (auto& of_row : data.terms) of_row.push_back(0);
  return {terms, fit_linear(data)};
}

TargetModel fit_method(TimesMethod method, std::span<const TargetRow> rows,
                       std::optional<std::size_t> without) {
  TargetModel model;
  if (method == TimesMethod::kPublished)
    model.parts = {fit_part(Terms::kPrinted, rows, without)};
  else
    model.parts = {fit_part(Terms::kRelative, rows, without),
                   fit_part(Terms::kCorrection, rows, without)};
  return model;
}

std::vector<double> left_out_errors(TimesMethod method, std::span<const TargetRow> rows,
                                    const std::set<std::size_t>& folds) {
  std::vector<double> errors(rows.size());
  for (const std::size_t fold : folds) {
    const TargetModel model = fit_method(method, rows, fold);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].fold == fold)
        errors[i] = std::abs(model.at(rows[i].samples, rows[i].shapes) - rows[i].log_time);
  }
  return errors;
}

// So many that another one is below it in 90 % of cases, if it is drawn as these were.
double reach_of(std::span<const TargetRow> rows, const std::vector<double>& errors) {
  std::vector<double> reaches;
  for (std::size_t i = 0; i < rows.size(); ++i)
    reaches.push_back(errors[i] / scale(rows[i].shapes));
  std::sort(reaches.begin(), reaches.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(kCoverage * static_cast<double>(reaches.size() + 1)));
  return reaches[std::min(rank, reaches.size()) - 1];
}

std::optional<TargetModel> fit_target(TimesMethod method, std::span<const TargetRow> rows) {
  std::set<std::size_t> folds;
  for (const TargetRow& row : rows) folds.insert(row.fold);
  if (folds.size() < kLeastPrograms || rows.size() < kLeastRows) return std::nullopt;
  TargetModel model = fit_method(method, rows, std::nullopt);
  model.reach = reach_of(rows, left_out_errors(method, rows, folds));
  return model;
}

}  // namespace

double TargetModel::at(std::span<const TeamSample> samples,
                       const LikelyShapes::Spread& shapes) const {
  double sum = 0;
  for (const TargetFit& part : parts) sum += part.at(samples, shapes);
  return sum / static_cast<double>(parts.size());
}

double TargetFit::at(std::span<const TeamSample> samples,
                     const LikelyShapes::Spread& shapes) const {
  std::vector<double> values = terms_of(terms, samples);
  values.resize(fit.coefficients.size());
  const double value = fit.at(values);
  if (terms == Terms::kCorrection) return shapes.median + value;
  const Seconds least = samples.front().mean * kLeastShare;
  return std::log(std::max(value * unit_of(terms, samples).value, least.value));
}

double scale(const LikelyShapes::Spread& shapes) {
  return std::hypot(shapes.deviation, kCommonError);
}

std::map<hybrid::TeamConfiguration, TargetModel> fit_targets(
    const std::map<hybrid::TeamConfiguration, std::vector<TargetRow>>& rows_of,
    TimesMethod method) {
  std::map<hybrid::TeamConfiguration, TargetModel> models;
  for (const auto& [target, rows] : rows_of)
    if (auto model = fit_target(method, rows)) models.emplace(target, *std::move(model));
  return models;
}

}  // namespace huddle::predict

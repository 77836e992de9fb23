#include "aggregator/forecast/validation/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <thread>

#include "aggregator/forecast/forest/linear_model.hpp"
#include "aggregator/forecast/laws/law_samples.hpp"
#include "aggregator/forecast/validation/detail/validation_rows.hpp"
#include "profiles/vocabulary/parallel.hpp"

namespace huddle {
namespace {

constexpr std::size_t kMostShown = 2000;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Rows that one model predicted, held out one way, of all splits.
struct Judged {
  std::vector<std::uint32_t> rows;
  std::vector<double> measured;
  std::vector<double> values;  // of `estimates`
  std::vector<Estimate> estimates;
};

struct Key {
  HeldOut held_out;
  std::string model;
  auto operator<=>(const Key&) const = default;
};

double relative_error(double predicted, double measured) {
  return std::abs(predicted / measured - 1);
}

// The first factor with values between others and beyond.
std::size_t factor_to_hold_out(const ValidationRows& rows, bool has_sizes,
                               std::vector<std::string>& remarks) {
  std::size_t factor = kSize;
  while (factor < kFactors && rows.levels[factor].size() < 3) ++factor;
  if (factor == kSize) return factor;
  const std::vector<double>& sizes = rows.levels[kSize];
  const std::string why = !has_sizes          ? "no column has sizes"
                          : sizes.size() == 1 ? fmt::format("all rows have size {}", sizes[0])
                                              : "the rows have two sizes";
  if (factor == kFactors) {
    remarks.push_back(why +
                      ": no size can be held out, and no other factor has three values: "
                      "random rows say nothing about sizes that were not run");
    return kSize;
  }
  remarks.push_back(
      fmt::format("{}: whole values of {} are held out instead", why, factor_name(factor)));
  return factor;
}

void judge(std::map<Key, Judged>& judged, const ValidationRows& rows, const Split& split,
           const std::vector<Predicted>& predicted) {
  for (const Predicted& model : predicted) {
    Judged& here = judged[{split.held_out, model.model}];
    for (std::size_t i = 0; i < split.test.size(); ++i) {
      if (!std::isfinite(model.values[i].value)) continue;
      here.rows.push_back(split.test[i]);
      here.measured.push_back(rows.value[split.test[i]]);
      here.values.push_back(model.values[i].value);
      here.estimates.push_back(model.values[i]);
    }
  }
}

// Rows of one region and configuration differ by noise alone: no share of that can be predicted.
bool are_alike(const ValidationRows& rows, const std::vector<std::uint32_t>& some) {
  return std::all_of(some.begin(), some.end(), [&](std::uint32_t row) {
    return rows.region[row] == rows.region[some[0]] && rows.where[row] == rows.where[some[0]];
  });
}

ValidationResult result_of(const Key& key, const Judged& judged, const ValidationRows& rows) {
  ValidationResult result{.held_out = key.held_out, .model = key.model};
  result.rows = judged.rows.size();
  result.r2 = are_alike(rows, judged.rows) ? kUnknown : r_squared(judged.measured, judged.values);
  std::vector<double> errors;
  double inside = 0;
  bool has_intervals = true;
  for (std::size_t i = 0; i < judged.rows.size(); ++i) {
    errors.push_back(relative_error(judged.values[i], judged.measured[i]));
    const Estimate& estimate = judged.estimates[i];
    inside += estimate.low <= judged.measured[i] && judged.measured[i] <= estimate.high;
    has_intervals = has_intervals && !std::isnan(estimate.low);
  }
  result.median_error = median_of(std::move(errors));
  result.coverage = has_intervals ? inside / static_cast<double>(judged.rows.size()) : kUnknown;
  return result;
}

void add_by_size(Validation& validation, const ValidationRows& rows, std::size_t factor,
                 const Key& key, const Judged& judged) {
  std::map<double, std::vector<double>> errors;
  for (std::size_t i = 0; i < judged.rows.size(); ++i)
    errors[factors_of(rows.where[judged.rows[i]])[factor]].push_back(
        relative_error(judged.values[i], judged.measured[i]));
  for (auto& [size, some] : errors) {
    const std::size_t count = some.size();
    validation.by_size.push_back(
        {key.held_out, key.model, size, count, median_of(std::move(some))});
  }
}

// Rows of the best model of each way to hold out sizes, spread evenly.
void add_rows(Validation& validation, const ValidationRows& rows,
              const std::map<Key, Judged>& judged) {
  for (const HeldOut held_out : {HeldOut::sizes_between, HeldOut::sizes_beyond}) {
    const ValidationResult* best = nullptr;
    for (const ValidationResult& result : validation.results)
      if (result.held_out == held_out &&
          (best == nullptr || result.median_error < best->median_error))
        best = &result;
    if (best == nullptr) continue;
    const Judged& shown = judged.at({held_out, best->model});
    const std::size_t count = std::min(shown.rows.size(), kMostShown);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t which = i * shown.rows.size() / count;
      const std::uint32_t row = shown.rows[which];
      validation.rows.push_back(
          {rows.region[row], rows.where[row], shown.measured[which], shown.estimates[which]});
    }
  }
}

}  // namespace

Validation validate(const MeasurementTable& table, ColumnRole target, std::uint64_t seed,
                    std::uint32_t threads) {
  Validation validation;
  validation.target = target;
  const ValidationRows rows = validation_rows(table, target, seed, validation.remarks);
  if (rows.size() < 2) {
    validation.remarks.emplace_back("there are too few rows to hold any out");
    return validation;
  }
  const bool has_sizes = table.find(ColumnRole::size) != nullptr;
  const std::size_t factor = factor_to_hold_out(rows, has_sizes, validation.remarks);
  validation.factor = factor_name(factor);
  const std::vector<Split> splits = splits_of(rows, factor, seed);
  // Splits at the same time: their laws take longer than their forests, and with one region each
  // has one law.
  if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1U);
  std::vector<std::vector<Predicted>> predicted(splits.size());
  for_each_index(threads, splits.size(), [&](std::size_t split) {
    predicted[split] = predict(rows, splits[split], factor, seed);
  });
  std::map<Key, Judged> judged;
  for (std::size_t split = 0; split < splits.size(); ++split)
    judge(judged, rows, splits[split], predicted[split]);
  for (const auto& [key, some] : judged) {
    if (some.rows.empty()) continue;
    validation.results.push_back(result_of(key, some, rows));
    if (key.held_out != HeldOut::rows) add_by_size(validation, rows, factor, key, some);
  }
  add_rows(validation, rows, judged);
  return validation;
}

}  // namespace huddle

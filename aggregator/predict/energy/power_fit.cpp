#include "aggregator/predict/energy/power_fit.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "profiles/vocabulary/error.hpp"

namespace huddle::predict {
namespace {

constexpr double kHzOfMhz = 1e6;
constexpr double kMostSeconds = 60;
// A column is determined if the others leave so much of it unexplained.
constexpr double kLeastOwn = 0.05;
// A nominal frequency that is so far beyond what was seen is extrapolated.
constexpr double kNearlySeen = 1.1;

enum Part : std::size_t { kIdle, kCore, kPackage, kDie, kDynamic, kParts };
using Figures = std::array<double, kParts>;

// An occupation of one group of jobs: what it is explained by, and what it drew.
struct Row {
  Figures parts{};
  double watts = 0;
  double weight = 0;
  std::uint32_t group = 0;
};

double predicted(const Figures& figures, const Row& row) {
  double sum = 0;
  for (std::size_t part = 0; part < kParts; ++part) sum += figures[part] * row.parts[part];
  return sum;
}

// Rows count by their relative error.
Eigen::VectorXd column(const std::vector<Row>& rows, std::size_t part) {
  Eigen::VectorXd values(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    values[static_cast<Eigen::Index>(i)] =
        rows[i].parts[part] * std::sqrt(rows[i].weight) / rows[i].watts;
  return values;
}

Eigen::MatrixXd columns(const std::vector<Row>& rows, const std::vector<std::size_t>& parts) {
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()),
                         static_cast<Eigen::Index>(parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i)
    matrix.col(static_cast<Eigen::Index>(i)) = column(rows, parts[i]);
  return matrix;
}

// In the order in which they are needed most.
std::vector<std::size_t> determined_parts(const std::vector<Row>& rows) {
  std::vector<std::size_t> parts = {kIdle};
  for (std::size_t part = kCore; part < kParts; ++part) {
    const Eigen::VectorXd own = column(rows, part);
    if (own.norm() == 0) continue;
    const Eigen::MatrixXd others = columns(rows, parts);
    const Eigen::VectorXd rest = own - others * others.colPivHouseholderQr().solve(own);
    if (rest.norm() > kLeastOwn * own.norm()) parts.push_back(part);
  }
  return parts;
}

// Fits by the subset whose unbounded solution is nowhere negative and fits best: that is the
// bounded solution, and there are few subsets.
Figures fitted(const std::vector<Row>& rows, const std::vector<std::size_t>& parts) {
  Eigen::VectorXd target(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    target[static_cast<Eigen::Index>(i)] = std::sqrt(rows[i].weight);
  Figures best{};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t subset = 1; subset < (std::size_t{1} << parts.size()); ++subset) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if ((subset >> i) & 1U) chosen.push_back(parts[i]);
    const Eigen::MatrixXd matrix = columns(rows, chosen);
    const Eigen::VectorXd solution = matrix.colPivHouseholderQr().solve(target);
    if (solution.minCoeff() < 0) continue;
    const double misfit = (matrix * solution - target).squaredNorm();
    if (misfit >= least) continue;
    least = misfit;
    best = {};
    for (std::size_t i = 0; i < chosen.size(); ++i)
      best[chosen[i]] = solution[static_cast<Eigen::Index>(i)];
  }
  return best;
}

std::optional<double> error_on_groups_left_out(const std::vector<Row>& rows) {
  double sum = 0;
  double weights = 0;
  for (std::uint32_t group = 0; group < PowerObservations::kGroups; ++group) {
    std::vector<Row> others;
    std::vector<Row> left_out;
    for (const Row& row : rows) (row.group == group ? left_out : others).push_back(row);
    if (left_out.empty() || others.empty()) continue;
    const Figures figures = fitted(others, determined_parts(others));
    for (const Row& row : left_out) {
      sum += row.weight * std::abs(predicted(figures, row) / row.watts - 1);
      weights += row.weight;
    }
  }
  if (weights == 0) return std::nullopt;
  return sum / weights;
}

// Only what all nodes have in common can be of one machine.
void check_alike(const std::vector<PowerObservations>& nodes) {
  for (const PowerObservations& node : nodes) {
    const PowerObservations& first = nodes.front();
    if (node.whole != first.whole)
      throw Error(
          fmt::format("{} has {} package(s), {} die(s) and {} core(s), and {} has {}, {} and "
                      "{}: they are not of one machine",
                      first.node, first.whole.packages, first.whole.dies, first.whole.cores,
                      node.node, node.whole.packages, node.whole.dies, node.whole.cores));
    if (node.sensors != first.sensors)
      throw Error(fmt::format("the sensors of {} and {} are not the same", first.node, node.node));
  }
}

// Sets clocks and times, too.
std::vector<Row> rows_of(const std::vector<PowerObservations>& nodes, PowerFit& fit) {
  double cycles = 0;
  double busy = 0;
  std::set<Occupation> occupations;
  for (const PowerObservations& node : nodes)
    for (const auto& [key, sum] : node.sums) {
      occupations.insert(key.occupation);
      fit.time += sum.time;
      if (key.occupation.mhz == 0) continue;
      const Hertz clock{key.occupation.mhz * kHzOfMhz};
      fit.lowest = fit.lowest.value == 0 ? clock : std::min(fit.lowest, clock);
      fit.highest = std::max(fit.highest, clock);
      cycles += clock.value * sum.time.value * key.occupation.cores;
      busy += sum.time.value * key.occupation.cores;
    }
  fit.occupations = occupations.size();
  if (busy > 0) fit.clock = Hertz{cycles / busy};
  std::vector<Row> rows;
  for (const PowerObservations& node : nodes)
    for (const auto& [key, sum] : node.sums) {
      const Occupation& of = key.occupation;
      const double clock = of.mhz > 0 ? of.mhz * kHzOfMhz / fit.clock.value : 1;
      Row row;
      row.parts = {1, static_cast<double>(of.cores), static_cast<double>(of.packages),
                   static_cast<double>(of.dies), of.cores * clock * clock * clock};
      row.watts = sum.mean().value;
      row.weight = std::min(sum.time.value, kMostSeconds);
      row.group = key.group;
      if (row.watts > 0) rows.push_back(row);
    }
  return rows;
}

std::vector<std::string> notes_on(const std::vector<Row>& rows,
                                  const std::vector<std::size_t>& parts, const Occupation& whole,
                                  bool has_clocks) {
  const auto has = [&](std::size_t part) {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  std::vector<std::string> notes;
  if (std::none_of(rows.begin(), rows.end(), [](const Row& row) { return row.parts[kCore] == 0; }))
    notes.emplace_back("the node was never seen idle: its idle power is extrapolated");
  if (!has(kPackage))
    notes.emplace_back(
        "what a busy package draws can't be told from its cores: no jobs were seen that use "
        "packages "
        "in different proportions to cores");
  if (!has(kDie) && whole.dies > whole.packages)
    notes.emplace_back(
        "what a busy die draws can't be told from its cores: no jobs were seen that use dies in "
        "different proportions to cores");
  if (!has_clocks)
    notes.emplace_back(
        "the clocks of cores could not be read: what cores draw at which is not known");
  else if (!has(kDynamic))
    notes.emplace_back(
        "all jobs had nearly the same clock: what cores draw at others is not known");
  return notes;
}

}  // namespace

Watts PowerFit::core_at(Hertz frequency) const {
  if (frequency.value == 0 || clock.value == 0) return core_static + core_dynamic;
  const double share = frequency.value / clock.value;
  return core_static + share * share * share * core_dynamic;
}

PowerFit fit_power(const std::vector<PowerObservations>& nodes) {
  check_alike(nodes);
  PowerFit fit;
  const std::vector<Row> rows = rows_of(nodes, fit);
  const std::vector<std::size_t> parts =
      rows.empty() ? std::vector<std::size_t>{} : determined_parts(rows);
  if (std::find(parts.begin(), parts.end(), kCore) == parts.end())
    throw Error(fmt::format(
        "{} occupation(s) of the nodes were observed, which do not show what a busy core "
        "draws: they must be idle at times, or busy with jobs of different sizes",
        fit.occupations));
  const Figures figures = fitted(rows, parts);
  fit.idle_node = Watts{figures[kIdle]};
  fit.package = Watts{figures[kPackage]};
  fit.die = Watts{figures[kDie]};
  fit.core_static = Watts{figures[kCore]};
  fit.core_dynamic = Watts{figures[kDynamic]};
  fit.by_frequency = std::find(parts.begin(), parts.end(), kDynamic) != parts.end();
  fit.error = error_on_groups_left_out(rows);
  fit.notes = notes_on(rows, parts, nodes.front().whole, fit.clock.value > 0);
  return fit;
}

namespace {

// No figure of a meter is known better.
Watts rounded(Watts watts) {
  constexpr double kDigits = 4;
  if (!(watts.value > 0)) return Watts{0};
  const double scale = std::pow(10, kDigits - 1 - std::floor(std::log10(watts.value)));
  return Watts{std::round(watts.value * scale) / scale};
}

}  // namespace

void put_power(const PowerFit& fit, Watts rest, const std::string& observer, Machine& machine) {
  const Hertz nominal = machine.frequencies ? machine.frequencies->nominal : Hertz{0};
  PowerFigures figures;
  if (machine.power) figures.off_node = machine.power->off_node;
  figures.idle_node = rounded(fit.idle_node + rest);
  figures.package = rounded(fit.package);
  figures.die = rounded(fit.die);
  figures.core = rounded(fit.core_at(nominal));
  figures.origin = Origin::kMeasured;
  figures.source = observer;
  if (nominal.value > 0 && fit.clock.value > 0 &&
      (nominal.value > kNearlySeen * fit.highest.value ||
       nominal.value * kNearlySeen < fit.lowest.value))
    figures.source += "; extrapolated to the nominal frequency";
  machine.power = figures;
  if (!machine.frequencies) return;
  // The document's earlier figures by frequency belong to other power figures.
  machine.frequencies->power.clear();
  machine.frequencies->power_source.clear();
  if (!fit.by_frequency) return;
  machine.frequencies->power_source = figures.source;
  for (const Hertz frequency : {fit.lowest, fit.highest})
    if (frequency != nominal)
      machine.frequencies->power.push_back({frequency, rounded(fit.core_at(frequency)), {}, {}});
}

}  // namespace huddle::predict

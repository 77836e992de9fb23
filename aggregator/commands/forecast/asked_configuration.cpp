#include "aggregator/commands/forecast/asked_configuration.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/frequency.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle::cli {
namespace {

constexpr std::string_view kExpected =
    "size=N,processes=P,threads=T,frequency=F,nodes=M,packages=K, each once at most: numbers above "
    "0 (whole but the size), a frequency such as 2.7GHz, and ranks_per_node=R maybe instead of the "
    "nodes";
constexpr double kLeastHertz = 1e6;

[[noreturn]] void refuse(const std::string& text) {
  throw UsageError(fmt::format("--at {}: expected {}", shortened(text), kExpected));
}

double number_from(const std::string& text, std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value) ||
      value <= 0)
    refuse(text);
  return value;
}

double size_from(const std::string& text, std::string_view size) {
  const std::optional<double> parsed = parse_problem_size(size);
  if (!parsed) refuse(text);
  return *parsed;
}

double count_from(const std::string& text, std::string_view number) {
  const double value = number_from(text, number);
  if (value != std::floor(value)) refuse(text);
  return value;
}

double gigahertz_from(const std::string& text, std::string_view frequency) {
  const std::optional<Hertz> parsed = parse_frequency(frequency);
  if (!parsed || static_cast<double>(parsed->value) < kLeastHertz) refuse(text);
  return static_cast<double>(parsed->value) / 1e9;
}

void take(AskedConfiguration& asked, std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos) refuse(asked.text);
  const std::string_view name = part.substr(0, equals);
  const std::string_view value = part.substr(equals + 1);
  const auto set = [&](std::optional<double>& factor, auto&& parse) {
    if (factor) refuse(asked.text);
    factor = parse(asked.text, value);
  };
  if (name == "size")
    set(asked.size, size_from);
  else if (name == "processes")
    set(asked.processes, count_from);
  else if (name == "threads")
    set(asked.threads, count_from);
  else if (name == "frequency")
    set(asked.frequency_ghz, gigahertz_from);
  else if (name == "nodes" && !asked.ranks_per_node)
    set(asked.nodes, count_from);
  else if (name == "ranks_per_node" && !asked.nodes)
    set(asked.ranks_per_node, count_from);
  else if (name == "packages")
    set(asked.packages, count_from);
  else
    refuse(asked.text);
}

// "1, 2, 4, 8, ... 48".
std::string values_text(const std::set<double>& values) {
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t shown = 0;
  for (const double value : values) {
    if (++shown > kMost) return fmt::format("{}, ... {:.6g}", text, *values.rbegin());
    text += fmt::format("{}{:.6g}", text.empty() ? "" : ", ", value);
  }
  return text;
}

double factor_of(const AskedConfiguration& asked, const std::optional<double>& named,
                 forecast::ColumnRole role, const forecast::MeasurementTable& rows) {
  const forecast::MeasuredColumn* column = rows.find(role);
  if (column == nullptr) {
    if (named && *named != 1)
      throw UsageError(
          fmt::format("--at {}: the rows have no {}: leave it out, or say which column holds it "
                      "(--column {}=NAME)",
                      shortened(asked.text), name_of(role), name_of(role)));
    return 1;
  }
  if (named) return *named;
  const std::set<double> values(column->values.begin(), column->values.end());
  if (values.size() == 1) return *values.begin();
  throw UsageError(fmt::format("--at {}: {} is missing, and the rows have {} of them: {}",
                               shortened(asked.text), name_of(role), values.size(),
                               values_text(values)));
}

// Nodes are given by their number or by the processes on each, in rows and in what is asked.
double nodes_of(const AskedConfiguration& asked, double processes,
                const forecast::MeasurementTable& rows) {
  const bool by_ranks = rows.find(forecast::ColumnRole::nodes) == nullptr &&
                        rows.find(forecast::ColumnRole::ranks_per_node) != nullptr;
  if (asked.ranks_per_node || (by_ranks && !asked.nodes)) {
    const std::optional<double> each = asked.ranks_per_node;
    if (!by_ranks && !has_nodes(rows))
      return factor_of(asked, each, forecast::ColumnRole::nodes, rows);
    const double ranks =
        each ? *each : factor_of(asked, each, forecast::ColumnRole::ranks_per_node, rows);
    return std::ceil(processes / ranks);
  }
  if (by_ranks) return *asked.nodes;
  return factor_of(asked, asked.nodes, forecast::ColumnRole::nodes, rows);
}

// Packages that were not named: the only number that was measured, or the only measured one that
// there is a thread for on each.
double packages_of(const AskedConfiguration& asked, const forecast::Configuration& where,
                   const forecast::MeasurementTable& rows) {
  const forecast::MeasuredColumn* column = rows.find(forecast::ColumnRole::packages);
  if (column != nullptr && !asked.packages) {
    std::set<double> possible(column->values.begin(), column->values.end());
    if (possible.size() == 1) return *possible.begin();
    const double threads = std::ceil(where.processes / where.nodes) * where.threads;
    std::erase_if(possible, [&](double packages) { return packages > threads; });
    if (possible.size() == 1) return *possible.begin();
  }
  return factor_of(asked, asked.packages, forecast::ColumnRole::packages, rows);
}

}  // namespace

bool has_nodes(const forecast::MeasurementTable& rows) {
  return rows.find(forecast::ColumnRole::nodes) != nullptr ||
         rows.find(forecast::ColumnRole::ranks_per_node) != nullptr;
}

AskedConfiguration parse_configuration(const std::string& text) {
  AskedConfiguration asked;
  asked.text = text;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    take(asked, rest.substr(0, comma));
    if (comma == std::string_view::npos) return asked;
    rest.remove_prefix(comma + 1);
  }
}

forecast::Configuration completed(const AskedConfiguration& asked,
                                  const forecast::MeasurementTable& rows) {
  forecast::Configuration where{
      factor_of(asked, asked.size, forecast::ColumnRole::size, rows),
      factor_of(asked, asked.processes, forecast::ColumnRole::processes, rows),
      factor_of(asked, asked.threads, forecast::ColumnRole::threads, rows),
      factor_of(asked, asked.frequency_ghz, forecast::ColumnRole::frequency, rows)};
  where.nodes = nodes_of(asked, where.processes, rows);
  if (has_nodes(rows) && where.nodes > where.processes)
    throw UsageError(
        fmt::format("--at {}: {:.10g} processes on {:.10g} nodes: expected a process "
                    "on each node",
                    shortened(asked.text), where.processes, where.nodes));
  where.packages = packages_of(asked, where, rows);
  return where;
}

}  // namespace huddle::cli

// What huddle forecast best prints for people.

#include <fmt/format.h>

#include <algorithm>

#include "aggregator/commands/forecast/forecast_output.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/figures.hpp"

namespace huddle {
namespace {

constexpr Table::Align kLeftAligned = Table::Align::kLeft;

// Which columns there is something to say in.
struct Columns {
  bool time = false;
  bool energy = false;
  bool slowdown = false;
  bool processes = false;
  bool threads = false;
  bool frequency = false;
  bool nodes = false;
  bool packages = false;
};

void take(Columns& with, const BestCandidate& candidate, const Configuration& first) {
  const Configuration& where = candidate.forecast.where;
  with.time = with.time || candidate.forecast.time_s;
  with.energy = with.energy || candidate.forecast.energy_j;
  with.slowdown = with.slowdown || candidate.slowdown;
  with.processes = with.processes || where.processes != 1;
  with.threads = with.threads || where.threads != 1;
  with.frequency = with.frequency || where.frequency_ghz != first.frequency_ghz;
  with.nodes = with.nodes || where.nodes != first.nodes;
  with.packages = with.packages || where.packages != first.packages;
}

Columns columns_of(const BestConfiguration& best) {
  Columns with;
  const Configuration& first = best.candidates[0].forecast.where;
  for (const BestCandidate& candidate : best.candidates) take(with, candidate, first);
  if (best.reference) take(with, *best.reference, first);
  with.threads = with.threads || !with.processes;
  return with;
}

std::vector<Table::Column> titles(Columns with) {
  std::vector<Table::Column> titles = {{"", kLeftAligned}};
  if (with.processes) titles.push_back({"processes"});
  if (with.threads) titles.push_back({"threads"});
  if (with.frequency) titles.push_back({"GHz"});
  if (with.nodes) titles.push_back({"nodes"});
  if (with.packages) titles.push_back({"packages"});
  if (with.time) titles.insert(titles.end(), {{"time s"}, {"90 % interval"}});
  if (with.slowdown) titles.push_back({"slowdown %"});
  if (with.energy) titles.insert(titles.end(), {{"energy J"}, {"90 % interval"}});
  if (with.energy && with.time) titles.push_back({"edp J s"});
  titles.insert(titles.end(), {{"known", kLeftAligned}, {"why not", kLeftAligned}});
  return titles;
}

std::string number(const std::optional<Estimate>& estimate) {
  return estimate ? fmt::format("{:.4g}", estimate->value) : "unknown";
}

std::string interval(const std::optional<Estimate>& estimate) {
  return estimate ? interval_text(estimate->low, estimate->high) : "";
}

// Whether the numbers themselves are measured ones.
bool is_measured(const ForecastAt& forecast) {
  const auto is = [](const std::optional<Estimate>& estimate, const std::string& model) {
    return !estimate || model == "measured";
  };
  return is(forecast.time_s, forecast.time_model) && is(forecast.energy_j, forecast.energy_model);
}

void add_row(Table& table, const BestCandidate& candidate, std::string mark, Columns with) {
  const ForecastAt& forecast = candidate.forecast;
  std::vector<std::string> cells = {std::move(mark)};
  if (with.processes) cells.push_back(fmt::format("{:.10g}", forecast.where.processes));
  if (with.threads) cells.push_back(fmt::format("{:.10g}", forecast.where.threads));
  if (with.frequency) cells.push_back(fmt::format("{:.4g}", forecast.where.frequency_ghz));
  if (with.nodes) cells.push_back(fmt::format("{:.10g}", forecast.where.nodes));
  if (with.packages) cells.push_back(fmt::format("{:.10g}", forecast.where.packages));
  if (with.time) cells.insert(cells.end(), {number(forecast.time_s), interval(forecast.time_s)});
  if (with.slowdown) cells.push_back(candidate.slowdown ? percent_text(*candidate.slowdown) : "");
  if (with.energy)
    cells.insert(cells.end(), {number(forecast.energy_j), interval(forecast.energy_j)});
  if (with.energy && with.time) cells.push_back(number(candidate.edp_js));
  cells.push_back(is_measured(forecast)     ? "measured"
                  : forecast.beyond.empty() ? "predicted"
                                            : "predicted, beyond");
  cells.push_back(candidate.why_not);
  table.add(std::move(cells));
}

std::string table_text(const BestConfiguration& best, std::size_t top) {
  const Columns with = columns_of(best);
  Table table(titles(with));
  if (best.reference) add_row(table, *best.reference, "reference", with);
  for (std::size_t i = 0; i < std::min(top, best.candidates.size()); ++i) {
    const BestCandidate& candidate = best.candidates[i];
    add_row(table, candidate,
            &candidate == best.chosen() ? "chosen"
            : candidate.alike           ? "alike"
                                        : "",
            with);
  }
  std::string text = table.text();
  if (best.candidates.size() > top)
    text += fmt::format("... and {} more (--top shows them)\n", best.candidates.size() - top);
  return text;
}

std::string count_of(double count, const char* one, const char* several) {
  return fmt::format("{:.10g} {}", count, count == 1 ? one : several);
}

// "16 processes x 4 threads at 2.4 GHz", without the factors that do not differ.
std::string name_of(const BestCandidate& candidate, Columns with) {
  const Configuration& where = candidate.forecast.where;
  std::string name;
  if (with.processes) name += count_of(where.processes, "process", "processes");
  if (with.threads)
    name += (name.empty() ? "" : " x ") + count_of(where.threads, "thread", "threads");
  if (with.nodes) name += " on " + count_of(where.nodes, "node", "nodes");
  if (with.packages)
    name += (with.nodes ? ", " : " on ") + count_of(where.packages, "package", "packages") +
            (with.nodes ? " of each" : "");
  if (with.frequency) name += fmt::format(" at {:.4g} GHz", where.frequency_ghz);
  return name;
}

double change(const Estimate& estimate, const Estimate& reference) {
  return estimate.value / reference.value - 1;
}

// "-18.2 % energy (-20.1 to -16.0), +3.1 % time (+2.0 to +4.4)".
std::string changes(const BestCandidate& chosen, const BestCandidate& reference) {
  std::string text;
  const auto add = [&](const std::optional<Estimate>& mine, const std::optional<Estimate>& other,
                       const char* what) {
    if (!mine || !other || !(other->value > 0)) return;
    text += fmt::format("{}{} % {}", text.empty() ? "" : ", ", percent_text(change(*mine, *other)),
                        what);
    if (mine->low < mine->high)
      text += fmt::format(" ({})", change_interval_text(mine->low, mine->high, other->value));
  };
  add(chosen.forecast.energy_j, reference.forecast.energy_j, "energy");
  add(chosen.forecast.time_s, reference.forecast.time_s, "time");
  return text;
}

// Why the fastest one is the best one, where that is no matter of course.
std::string but_no_better(const BestOptions& options) {
  if (options.objective == Objective::kTime) return "";
  return fmt::format(", and nothing{} {}", options.most_slowdown ? " within the bound" : "",
                     options.objective == Objective::kEdp ? "has a smaller energy-delay product"
                                                          : "takes less energy");
}

std::string verdict(const BestAnswer& answer) {
  const BestConfiguration& best = answer.best;
  const BestCandidate* chosen = best.chosen();
  const Columns with = columns_of(best);
  if (chosen == nullptr && best.candidates[0].why_not == "not known")
    return "No configuration can be chosen: what is predicted is not a number.\n";
  if (chosen == nullptr)
    return fmt::format("No configuration is within the bound{}: stay with the reference.\n",
                       answer.options.certain ? " for certain" : "");
  const std::string size = answer.size_known ? fmt::format(" for size {:.10g}", answer.size) : "";
  if (!answer.options.reference && chosen->slowdown && *chosen->slowdown == 0)
    return fmt::format("Take {}{}: the fastest{}.\n", name_of(*chosen, with), size,
                       but_no_better(answer.options));
  if (best.reference && chosen->forecast.where == best.reference->forecast.where)
    return fmt::format("No gain over the reference{}: stay with {}.\n", size,
                       name_of(*chosen, with));
  std::string text = fmt::format("Take {}{}", name_of(*chosen, with), size);
  if (best.reference)
    text += fmt::format(": {} over {}{}", changes(*chosen, *best.reference),
                        answer.options.reference ? "" : "the fastest, ",
                        name_of(*best.reference, with));
  return text + ".\n";
}

std::string likeness(const BestConfiguration& best) {
  const auto alike = static_cast<std::size_t>(
      std::count_if(best.candidates.begin(), best.candidates.end(),
                    [](const BestCandidate& candidate) { return candidate.alike; }));
  if (alike == 0) return "";
  const auto first = std::find_if(best.candidates.begin(), best.candidates.end(),
                                  [](const BestCandidate& candidate) { return candidate.alike; });
  const std::string next = name_of(*first, columns_of(best));
  if (alike == 1) return fmt::format("{} may be as good: the 90 % intervals overlap.\n", next);
  return fmt::format("{} others may be as good, {} first: their 90 % intervals overlap its own.\n",
                     alike, next);
}

std::string models(const BestConfiguration& best) {
  const BestCandidate* chosen = best.chosen();
  if (chosen == nullptr) return "";
  const ForecastAt& forecast = chosen->forecast;
  if (is_measured(forecast)) return "It was measured.\n";
  std::string text;
  if (forecast.time_s) text = fmt::format("time by {}", shortened(forecast.time_model, 200));
  if (forecast.energy_j)
    text += fmt::format("{}energy by {}", text.empty() ? "" : ", ",
                        shortened(forecast.energy_model, 200));
  text = fmt::format("It is predicted: {}.\n", text);
  if (!forecast.time_not_predicted.empty())
    text += fmt::format("Its time {}.\n", shortened(forecast.time_not_predicted, 400));
  if (!forecast.energy_not_predicted.empty())
    text += fmt::format("Its energy {}.\n", shortened(forecast.energy_not_predicted, 400));
  return text;
}

}  // namespace

std::string best_text(const BestAnswer& answer, std::size_t top) {
  return table_text(answer.best, top) + "\n" + verdict(answer) + likeness(answer.best) +
         models(answer.best);
}

}  // namespace huddle

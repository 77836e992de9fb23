#include "aggregator/efficiency/report/efficiency_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::efficiency {
namespace {

constexpr render::Table::Align kLeft = render::Table::Align::kLeft;
constexpr std::size_t kMostRows = 12;
// Phases that lose less are not listed.
constexpr double kLeastLost = 0.0005;
// Errors that no decimal shows.
constexpr double kLeastError = 0.0005;

std::string percent_cell(double share, double standard_error = 0) {
  const bool is_estimate = 2 * standard_error >= kLeastError;
  return fmt::format("{}{:.1f}", is_estimate ? "~" : "", 100 * share);
}

std::string optional_cell(const std::optional<OpenMpEfficiency>& openmp) {
  return openmp ? percent_cell(openmp->parallel()) : "";
}

class FactorTable {
 public:
  explicit FactorTable(bool has_errors) : has_errors_(has_errors), table_(columns(has_errors)) {}

  void add(std::size_t depth, std::string_view name, double share, double standard_error = 0) {
    std::vector<std::string> cells = {std::string(2 * depth, ' ') + std::string(name),
                                      percent_cell(share, standard_error)};
    if (has_errors_)
      cells.push_back(
          2 * standard_error >= kLeastError ? fmt::format("{:.1f}", 200 * standard_error) : "");
    table_.add(std::move(cells));
  }
  [[nodiscard]] std::string text() const { return fmt::format("\n{}", table_.text()); }

 private:
  static std::vector<render::Table::Column> columns(bool has_errors) {
    std::vector<render::Table::Column> columns = {{"efficiency", kLeft}, {"%"}};
    if (has_errors) columns.emplace_back("+-");
    return columns;
  }

  bool has_errors_;
  render::Table table_;
};

bool has_errors(const RunEfficiency& run) {
  const EfficiencyErrors& errors = run.errors;
  return 2 * std::max({errors.parallel, errors.load_balance, errors.communication}) >= kLeastError;
}

std::string factors_text(const RunEfficiency& run) {
  const MpiEfficiency& mpi = run.whole.mpi;
  FactorTable table(has_errors(run));
  const std::size_t depth = run.whole.openmp ? 2 : 1;
  if (run.whole.openmp) table.add(0, "parallel efficiency", run.whole.parallel());
  table.add(depth - 1, run.hybrid ? "MPI parallel efficiency" : "parallel efficiency",
            mpi.parallel(), run.errors.parallel);
  table.add(depth, "load balance", mpi.load_balance, run.errors.load_balance);
  if (run.balance) {
    table.add(depth + 1, "across nodes", run.balance->across);
    table.add(depth + 1, "within nodes", run.balance->within);
  }
  table.add(depth, "communication", mpi.communication, run.errors.communication);
  if (run.whole.openmp) {
    const OpenMpEfficiency& openmp = *run.whole.openmp;
    table.add(1, "OpenMP parallel efficiency", openmp.parallel());
    table.add(2, "load balance", openmp.load_balance);
    table.add(2, "scheduling", openmp.scheduling);
    table.add(2, "serialisation", openmp.serialisation);
  }
  std::string text = table.text();
  if (!run.openmp_unknown.empty())
    text += fmt::format("OpenMP's efficiency is not known: {}\n", run.openmp_unknown);
  if (has_errors(run))
    text += fmt::format("~: {:.0f} % of the time in MPI is estimated from a sample of its calls\n",
                        100 * run.estimated_share);
  return text;
}

std::vector<render::Table::Column> with_factors(std::vector<render::Table::Column> columns,
                                                bool openmp) {
  columns.insert(columns.end(), {{"efficiency %"}, {"load balance %"}, {"communication %"}});
  if (openmp) columns.emplace_back("OpenMP %");
  return columns;
}

void add_factors(std::vector<std::string>& cells, const Efficiency& efficiency, bool openmp) {
  const bool is_known = !openmp || efficiency.openmp.has_value();
  cells.insert(cells.end(), {is_known ? percent_cell(efficiency.parallel()) : "",
                             percent_cell(efficiency.mpi.load_balance),
                             percent_cell(efficiency.mpi.communication)});
  if (openmp) cells.push_back(optional_cell(efficiency.openmp));
}

std::string nodes_text(const RunEfficiency& run) {
  if (run.by_node.size() < 2) return {};
  const bool openmp = run.hybrid;
  render::Table table(with_factors({{"node", kLeft}, {"ranks"}}, openmp));
  for (std::size_t i = 0; i < std::min(run.by_node.size(), kMostRows); ++i) {
    const NodeEfficiency& node = run.by_node[i];
    std::vector<std::string> cells = {shortened(node.node, 30), std::to_string(node.ranks)};
    add_factors(cells, node.efficiency, openmp);
    table.add(std::move(cells));
  }
  std::string text = fmt::format("\n{}", table.text());
  if (run.by_node.size() > kMostRows)
    text += fmt::format("... and {} more, see --json\n",
                        pluralize(run.by_node.size() - kMostRows, "node"));
  return text;
}

std::string phases_text(const RunEfficiency& run, const PhaseNumber& number_of) {
  const bool openmp = run.hybrid;
  const auto losing = static_cast<std::size_t>(std::ranges::count_if(
      run.by_phase, [](const PhaseEfficiency& phase) { return phase.lost_share >= kLeastLost; }));
  if (losing == 0) return {};
  render::Table table(with_factors({{"phases"}, {"lost % of run"}}, openmp));
  for (std::size_t i = 0; i < std::min(losing, kMostRows); ++i) {
    const PhaseEfficiency& phase = run.by_phase[i];
    std::vector<std::string> cells = {std::to_string(number_of(phase.group.id)),
                                      percent_cell(phase.lost_share)};
    add_factors(cells, phase.efficiency, openmp);
    table.add(std::move(cells));
  }
  std::string text = fmt::format("\n{}", table.text());
  if (run.by_phase.size() > kMostRows)
    text +=
        fmt::format("... and {} phase groups more, see --json\n", run.by_phase.size() - kMostRows);
  return text;
}

std::string mpi_words(const RunEfficiency& run) {
  const MpiEfficiency& mpi = run.whole.mpi;
  return fmt::format("load balance {} x communication {}",
                     share_text(mpi.load_balance, run.errors.load_balance),
                     share_text(mpi.communication, run.errors.communication));
}

}  // namespace

std::string share_text(double share, double standard_error) {
  if (2 * standard_error < kLeastError) return fmt::format("{:.1f} %", 100 * share);
  return fmt::format("~{:.1f} % (+-{:.1f})", 100 * share, 200 * standard_error);
}

std::string efficiency_words(const RunEfficiency& run) {
  const std::string mpi = share_text(run.whole.mpi.parallel(), run.errors.parallel);
  if (!run.hybrid) return fmt::format("parallel efficiency {} = {}", mpi, mpi_words(run));
  if (!run.whole.openmp)
    return fmt::format("MPI parallel efficiency {} = {}; OpenMP's is not known", mpi,
                       mpi_words(run));
  const OpenMpEfficiency& openmp = *run.whole.openmp;
  return fmt::format(
      "parallel efficiency {} = MPI {} ({}) x OpenMP {} (load balance {} x scheduling {} x "
      "serialisation {})",
      share_text(run.whole.parallel()), mpi, mpi_words(run), share_text(openmp.parallel()),
      share_text(openmp.load_balance), share_text(openmp.scheduling),
      share_text(openmp.serialisation));
}

std::string weakest_part(const Efficiency& efficiency) {
  std::vector<std::pair<double, std::string_view>> parts = {
      {efficiency.mpi.load_balance, "load balance"},
      {efficiency.mpi.communication, "communication"}};
  if (efficiency.openmp)
    parts.insert(parts.end(), {{efficiency.openmp->load_balance, "OpenMP's load balance"},
                               {efficiency.openmp->scheduling, "OpenMP's scheduling"},
                               {efficiency.openmp->serialisation, "OpenMP's serialisation"}});
  return std::string(std::ranges::min(parts).second);
}

std::string efficiency_text(const RunEfficiency& run, const PhaseNumber& number_of) {
  return factors_text(run) + nodes_text(run) + phases_text(run, number_of);
}

}  // namespace huddle::efficiency

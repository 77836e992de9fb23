#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "aggregator/efficiency/report/efficiency_text.hpp"
#include "aggregator/render/table.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::efficiency {
namespace {

using Row = ScalingRow;
using Share = std::function<std::optional<double>(const Row&)>;

// A column for each run, as the field prints such tables.
class SideBySide {
 public:
  explicit SideBySide(const std::vector<Row>& rows) : rows_(rows), table_(columns(rows)) {}

  void add(std::string name, const std::function<std::string(const Row&)>& cell) {
    std::vector<std::string> cells = {std::move(name)};
    for (const Row& row : rows_) cells.push_back(cell(row));
    table_.add(std::move(cells));
  }
  // Nothing where no run has it.
  void add_share(std::size_t depth, const std::string& name, const Share& share) {
    if (std::ranges::none_of(rows_, [&](const Row& row) { return share(row).has_value(); })) return;
    add(std::string(2 * depth, ' ') + name, [&](const Row& row) {
      const std::optional<double> own = share(row);
      return own ? fmt::format("{:.1f}", 100 * *own) : "";
    });
  }
  [[nodiscard]] std::string text() const { return table_.text(); }

 private:
  static std::vector<render::Table::Column> columns(const std::vector<Row>& rows) {
    std::vector<render::Table::Column> columns = {{"", render::Table::Align::kLeft}};
    for (std::size_t i = 0; i < rows.size(); ++i)
      columns.emplace_back(fmt::format("run {}", i + 1));
    return columns;
  }

  const std::vector<Row>& rows_;
  render::Table table_;
};

bool is_hybrid(const Scaling& scaling) {
  return std::ranges::any_of(scaling.rows, [](const Row& row) { return row.sample.hybrid; });
}

void add_parts_of_parallel(SideBySide& table, bool hybrid) {
  const std::size_t depth = hybrid ? 2 : 1;
  if (hybrid)
    table.add_share(1, "parallel efficiency %", [](const Row& row) {
      return row.sample.hybrid && !row.sample.efficiency.openmp
                 ? std::nullopt
                 : std::optional(row.sample.efficiency.parallel());
    });
  table.add_share(depth, hybrid ? "MPI parallel efficiency %" : "parallel efficiency %",
                  [](const Row& row) { return row.sample.efficiency.mpi.parallel(); });
  table.add_share(depth + 1, "load balance %",
                  [](const Row& row) { return row.sample.efficiency.mpi.load_balance; });
  table.add_share(depth + 1, "communication %",
                  [](const Row& row) { return row.sample.efficiency.mpi.communication; });
  const auto openmp = [&](std::size_t at, const std::string& name, auto&& part) {
    table.add_share(at, name, [part](const Row& row) -> std::optional<double> {
      if (!row.sample.efficiency.openmp) return std::nullopt;
      return part(*row.sample.efficiency.openmp);
    });
  };
  openmp(2, "OpenMP parallel efficiency %", [](const auto& it) { return it.parallel(); });
  openmp(3, "load balance %", [](const auto& it) { return it.load_balance; });
  openmp(3, "scheduling %", [](const auto& it) { return it.scheduling; });
  openmp(3, "serialisation %", [](const auto& it) { return it.serialisation; });
}

std::string factor_words(const ScalingOutlook& outlook) {
  if (outlook.factor == ScalingFactor::kUnknown) return {};
  return fmt::format("; what falls most is {}", name_of(outlook.factor));
}

// "16 ranks", or threads where ranks have several.
std::string size_words(const Scaling& scaling, std::uint64_t threads) {
  return pluralize(threads, is_hybrid(scaling) ? "thread" : "rank");
}

std::string law_words(const Scaling& scaling) {
  return fmt::format(
      "By Amdahl's law, which fits these {} runs within {:.1f} points, half of the smallest run's "
      "efficiency is left at about {}",
      scaling.rows.size(), 100 * scaling.outlook.off, size_words(scaling, scaling.outlook.limit));
}

}  // namespace

std::string outlook_text(const Scaling& scaling) {
  using Kind = ScalingOutlook::Kind;
  const ScalingOutlook& outlook = scaling.outlook;
  const std::string most = size_words(scaling, scaling.rows.back().sample.threads);
  const std::string left =
      fmt::format("{:.0f} % of the smallest run's efficiency", 100 * outlook.efficiency);
  switch (outlook.kind) {
    case Kind::kOneSize:
      return "All runs are of one size: how the program scales, they don't show.";
    case Kind::kStopped:
      return fmt::format(
          "It stops scaling at {}, of the sizes that were run: {} get no more done in a second{}.",
          size_words(scaling, outlook.limit), most, factor_words(outlook));
    case Kind::kNoLoss:
      return fmt::format("Up to {} {} is left: where it stops scaling, these runs don't show.",
                         most, left);
    case Kind::kTwoSizes:
      return fmt::format(
          "At {} {} is left{}. Where it stops scaling, a third size would "
          "show.",
          most, left, factor_words(outlook));
    case Kind::kNoLaw:
      return fmt::format(
          "At {} {} is left{}. Where it stops scaling, these runs don't "
          "show: they are too far from Amdahl's law.",
          most, left, factor_words(outlook));
    case Kind::kForeseen:
      return fmt::format("{}, and no number of them makes it more than {:.3g} times as fast{}.",
                         law_words(scaling), outlook.most_speedup, factor_words(outlook));
    case Kind::kFar:
      return fmt::format("{}, which is too far beyond the largest run to rely on{}.",
                         law_words(scaling), factor_words(outlook));
  }
  return {};
}

std::string scaling_text(const Scaling& scaling) {
  const bool hybrid = is_hybrid(scaling);
  SideBySide table(scaling.rows);
  table.add("ranks", [](const Row& row) { return std::to_string(row.sample.ranks); });
  if (hybrid)
    table.add("threads", [](const Row& row) { return std::to_string(row.sample.threads); });
  table.add("nodes", [](const Row& row) {
    return row.sample.nodes == 0 ? "" : std::to_string(row.sample.nodes);
  });
  table.add("time s",
            [](const Row& row) { return fmt::format("{:.4g}", row.sample.elapsed.value); });
  table.add("speedup", [](const Row& row) { return fmt::format("{:.2f}", row.speedup); });
  table.add_share(0, "global efficiency %", [](const Row& row) { return row.global; });
  add_parts_of_parallel(table, hybrid);
  table.add_share(1, "computation scaling %", [](const Row& row) { return row.computation; });
  table.add_share(2, "instructions %", [](const Row& row) { return row.instructions; });
  table.add_share(2, "IPC %", [](const Row& row) { return row.ipc; });
  table.add_share(2, "clock %", [](const Row& row) { return row.clock; });
  std::string text = table.text() + "\n";
  for (std::size_t i = 0; i < scaling.rows.size(); ++i)
    text += fmt::format("run {}: {}\n", i + 1, shortened(scaling.rows[i].sample.name, 200));
  text += fmt::format("{} scaling{}\n", scaling.kind == ScalingKind::kWeak ? "Weak" : "Strong",
                      scaling.kind_is_known
                          ? ""
                          : ", since no profile says otherwise: --weak if each thread has as much "
                            "to do in all runs");
  return text + outlook_text(scaling) + "\n";
}

}  // namespace huddle::efficiency

#include "tests/benchmark/mapping_row.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <string_view>

#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/child_run.hpp"
#include "tests/benchmark/graph_instances.hpp"
#include "tests/benchmark/mapping_check.hpp"

namespace huddle {
namespace {

void run_once(const MappingTask& task, const RowOptions& options, Cell& cell, Row& row) {
  const ChildRun run =
      run_in_child([&] { return cell.engine->map(task); }, options.vertices, options.limit_seconds);
  if (!run.failure.empty()) {
    cell.failure = run.failure;
    if (cell.engine->exact && !run.timed_out)
      row.faults.push_back(fmt::format("{} failed: {}", cell.engine->heading, run.failure));
    return;
  }
  cell.wall_seconds.push_back(run.wall_seconds);
  cell.processor_seconds.push_back(run.processor_seconds);
  cell.peak_mib = std::max(cell.peak_mib, run.peak_mib);
  if (!cell.mapped())
    cell.core_of = run.result;
  else if (cell.engine->exact && cell.core_of != run.result)
    row.faults.push_back(
        fmt::format("{} found another mapping in another run", cell.engine->heading));
}

void judge(const MappingTask& task, Cell& cell, Row& row) {
  if (!cell.mapped()) return;
  const std::string fault = fault_of_mapping(cell.core_of, row.options.vertices);
  if (cell.engine->exact && !fault.empty())
    row.faults.push_back(
        fmt::format("the mapping by {} is invalid: {}", cell.engine->heading, fault));
  const std::uint32_t cores = task.hierarchy.cores();
  if (std::any_of(cell.core_of.begin(), cell.core_of.end(), [&](auto c) { return c >= cores; }))
    return;
  cell.cost = cost_of_mapping(task.graph, task.hierarchy, cell.core_of);
  cell.largest_load = largest_load(cell.core_of, cores);
}

const Cell* cell_of(const Row& row, std::string_view engine) {
  const auto found = std::find_if(row.cells.begin(), row.cells.end(), [&](const Cell& cell) {
    return cell.engine->name == engine && cell.mapped();
  });
  return found == row.cells.end() ? nullptr : &*found;
}

// Checks what the engines promise about each other, and that none is below the proven optimum.
void compare(Row& row) {
  const Cell* natural = cell_of(row, "auto-natural");
  const Cell* identity = cell_of(row, "identity");
  if (natural != nullptr && identity != nullptr && natural->cost > identity->cost)
    row.faults.push_back(fmt::format("auto on the natural order has J {}, identity {}",
                                     natural->cost, identity->cost));
  const Cell* single = cell_of(row, "auto");
  const Cell* threads = cell_of(row, "auto-threads");
  if (single != nullptr && threads != nullptr && single->core_of != threads->core_of)
    row.faults.emplace_back("auto found another mapping with several threads");
  for (const Cell& cell : row.cells)
    if (cell.balanced() && cell.cost < row.optimum)
      row.faults.push_back(fmt::format("{} has J {}, below the proven optimum {}",
                                       cell.engine->heading, cell.cost, row.optimum));
}

std::uint64_t reference_of(const Row& row) {
  if (row.optimum > 0) return row.optimum;
  std::uint64_t least = 0;
  for (const Cell& cell : row.cells)
    if (cell.balanced() && (least == 0 || cell.cost < least)) least = cell.cost;
  return least;
}

}  // namespace

Row measured_row(const RowOptions& options, std::span<const MappingEngine* const> engines) {
  Row row{options, options.hierarchy, {}, 0, 0, {}};
  if (row.hierarchy.empty()) row.hierarchy = fmt::format("2:2:2:{}", (options.vertices + 7) / 8);
  const MappingTask natural{instance_named(options.instance, options.vertices, options.seed),
                            commgraph::Hierarchy::parse(row.hierarchy, options.distance),
                            options.seed, options.threads};
  const MappingTask mixed{shuffled(natural.graph, options.seed), natural.hierarchy, natural.seed,
                          natural.threads};
  const auto task_of = [&](const MappingEngine& engine) -> const MappingTask& {
    return engine.natural ? natural : mixed;
  };
  if (row.hierarchy == fmt::format("2:2:2:{}", options.vertices / 8) &&
      options.distance == RowOptions{}.distance)
    row.optimum = proven_optimum(options.instance, options.vertices);
  if (natural.hierarchy.cores() < options.vertices)
    throw UsageError(fmt::format("{} vertices don't fit on the {} cores of the hierarchy {}",
                                 options.vertices, natural.hierarchy.cores(), row.hierarchy));
  for (const MappingEngine* engine : engines) row.cells.emplace_back().engine = engine;

  malloc_trim(0);  // or the peaks would count what the graphs' making left
  for (unsigned round = 0; round < options.rounds; ++round)
    for (Cell& cell : row.cells)
      if (cell.failure.empty()) run_once(task_of(*cell.engine), options, cell, row);
  for (Cell& cell : row.cells) judge(task_of(*cell.engine), cell, row);
  compare(row);
  row.reference = reference_of(row);
  return row;
}

}  // namespace huddle

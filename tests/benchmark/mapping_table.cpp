// Measures how good mappings are, and what they take: Huddle, its parts, and another library.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "profiles/vocabulary/error.hpp"
#include "tests/benchmark/graph_instances.hpp"
#include "tests/benchmark/mapping_row.hpp"

namespace huddle {
namespace {

constexpr std::uint32_t kLarge = 262144;

struct Options {
  std::vector<std::uint32_t> sizes{64, 1024, 16384};
  std::vector<std::string> instances{"2d5",      "3d7", "2d9", "3d27", "geometric",
                                     "delaunay", "cg",  "bt",  "mg"};
  std::vector<std::string> engines;
  unsigned rounds = 0;  // 0: by size
  RowOptions row;
  bool markdown = false;
  std::string write;
  bool natural = false;
};

// In the format of METIS, with edge weights.
void write_metis_graph(const commgraph::CommGraph& graph, const std::string& path) {
  std::string text = fmt::format("{} {} 001\n", graph.vertices(), graph.edges());
  const commgraph::GraphView view = graph.view();
  for (commgraph::Vertex v = 0; v < view.vertices(); ++v) {
    for (std::uint64_t i = view.first[v]; i < view.first[std::size_t{v} + 1]; ++i)
      fmt::format_to(std::back_inserter(text), "{} {} ", view.neighbours[i] + 1, view.weights[i]);
    text += '\n';
  }
  std::ofstream file(path, std::ios::binary);
  if (!(file << text) || !file.flush()) throw Error(fmt::format("{} can't be written", path));
}

void write_instance(const Options& options) {
  const std::uint32_t seed = options.row.seed;
  const commgraph::CommGraph graph =
      instance_named(options.instances.front(), options.sizes.front(), seed);
  write_metis_graph(options.natural ? graph : shuffled(graph, seed), options.write);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// "+8.31 %"; with a star where a core holds several ranks.
std::string above(const Row& row, const Cell& cell) {
  const auto reference = static_cast<double>(row.reference);
  const double percent = 100 * (static_cast<double>(cell.cost) - reference) / reference;
  return fmt::format("{:+.2f} %{}", row.reference > 0 ? percent : 0, cell.balanced() ? "" : "*");
}

std::string heading(const MappingEngine& engine, const RowOptions& options) {
  if (engine.name == "auto-threads") return fmt::format("auto, {} threads", options.threads);
  return std::string(engine.heading);
}

void print_text(const Row& row) {
  fmt::print("\n{}, n = {}, hierarchy {}, distance {}: {} {}\n", row.options.instance,
             row.options.vertices, row.hierarchy, row.options.distance,
             row.optimum > 0 ? "optimum" : "best here", row.reference);
  fmt::print("  {:<28}{:>18}{:>12}{:>10}{:>10}{:>10}\n", "engine", "J", "above", "wall s", "CPU s",
             "peak MiB");
  for (const Cell& cell : row.cells) {
    fmt::print("  {:<28}", heading(*cell.engine, row.options));
    if (!cell.mapped()) {
      fmt::print("  {}\n", cell.failure);
      continue;
    }
    fmt::print("{:>18}{:>12}{:>10.3f}{:>10.3f}{:>10}", cell.cost, above(row, cell),
               median(cell.wall_seconds), median(cell.processor_seconds),
               row.options.vertices < kLarge ? "" : fmt::format("{:.0f}", cell.peak_mib));
    if (!cell.balanced()) fmt::print("  * up to {} ranks a core", cell.largest_load);
    if (cell.engine->name == "best-of") fmt::print("  K = {}", best_of_runs(row.options.vertices));
    fmt::print("\n");
  }
}

std::string markdown_cell(const Row& row, const MappingEngine& engine) {
  const auto cell = std::find_if(row.cells.begin(), row.cells.end(),
                                 [&](const Cell& c) { return c.engine == &engine; });
  if (cell == row.cells.end()) return "";
  if (!cell->mapped()) return cell->failure;
  std::string text = above(row, *cell);
  if (!cell->balanced()) text += fmt::format(" ({} a core)", cell->largest_load);
  if (engine.name == "best-of")
    text += fmt::format(" (K = {})", best_of_runs(row.options.vertices));
  text += fmt::format(", {:.3f} s", median(cell->wall_seconds));
  if (row.options.vertices >= kLarge) text += fmt::format(", {:.0f} MiB", cell->peak_mib);
  return text;
}

void print_markdown_head(const std::vector<const MappingEngine*>& engines,
                         const RowOptions& options) {
  std::string line = "| instance | n | optimum (=) or best J |";
  std::string rule = "|---|---|---|";
  for (const MappingEngine* engine : engines) {
    line += fmt::format(" {} |", heading(*engine, options));
    rule += "---|";
  }
  fmt::print("{}\n{}\n", line, rule);
}

void print_markdown(const Row& row, const std::vector<const MappingEngine*>& engines) {
  fmt::print("| {} | {} | {}{} |", row.options.instance, row.options.vertices,
             row.optimum > 0 ? "= " : "", row.reference);
  for (const MappingEngine* engine : engines) fmt::print(" {} |", markdown_cell(row, *engine));
  fmt::print("\n");
}

// Those asked for; else those that join by themselves at that number of vertices.
std::vector<const MappingEngine*> engines_at(std::uint32_t vertices, const Options& options) {
  std::vector<const MappingEngine*> engines;
  for (const std::string& name : options.engines) engines.push_back(&mapping_engine_named(name));
  if (!engines.empty()) return engines;
  for (const MappingEngine& engine : mapping_engines())
    if (vertices >= engine.least_vertices) engines.push_back(&engine);
  return engines;
}

// Those of the largest graph: all that have anything to show.
std::vector<const MappingEngine*> columns(const Options& options) {
  return engines_at(*std::max_element(options.sizes.begin(), options.sizes.end()), options);
}

// Prints a row; returns whether all is well with it.
bool run_row(const RowOptions& row_options, const Options& options) {
  const Row row = measured_row(row_options, engines_at(row_options.vertices, options));
  if (options.markdown)
    print_markdown(row, columns(options));
  else
    print_text(row);
  std::fflush(stdout);
  for (const std::string& fault : row.faults)
    fmt::print(stderr, "mapping_table: {}, n = {}: {}\n", row_options.instance,
               row_options.vertices, fault);
  return row.faults.empty();
}

bool run(const Options& options) {
  bool well = true;
  if (options.markdown) print_markdown_head(columns(options), options.row);
  for (const std::string& instance : options.instances)
    for (const std::uint32_t vertices : options.sizes) {
      if (!instance_exists(instance, vertices)) {
        fmt::print(stderr, "mapping_table: there is no {} of {} processes\n", instance, vertices);
        continue;
      }
      RowOptions row = options.row;
      row.instance = instance;
      row.vertices = vertices;
      row.rounds = options.rounds > 0 ? options.rounds : vertices < kLarge ? 3 : 1;
      well = run_row(row, options) && well;
    }
  return well;
}

void describe(CLI::App& app, Options& options) {
  app.option_defaults()->always_capture_default();
  app.add_option("--n", options.sizes, "Numbers of vertices")->delimiter(',');
  app.add_option("--instances", options.instances,
                 fmt::format("Of {}", fmt::join(instance_names(), ", ")))
      ->delimiter(',');
  std::vector<std::string_view> names;
  for (const MappingEngine& engine : mapping_engines()) names.push_back(engine.name);
  app.add_option("--engines", options.engines,
                 fmt::format("Of {}; default: all but kl, auto-threads from n = {}",
                             fmt::join(names, ", "), kLarge))
      ->delimiter(',');
  app.add_option("--rounds", options.rounds,
                 fmt::format("Runs of each engine, in turns; default: 3, 1 from n = {}", kLarge));
  app.add_option("--threads", options.row.threads, "Of auto-threads");
  app.add_option("--seed", options.row.seed, "Of graphs, shuffles and engines");
  app.add_option("--hierarchy", options.row.hierarchy, "Default: 2:2:2:(n/8)");
  app.add_option("--distance", options.row.distance, "Innermost first");
  app.add_option("--limit", options.row.limit_seconds, "Seconds after which a run is ended");
  app.add_flag("--markdown", options.markdown, "A line for each instance and n");
  app.add_option("--write", options.write,
                 "Write the first graph, shuffled, to this file in METIS' format, and end");
  app.add_flag("--natural", options.natural, "With --write: in its natural order");
}

}  // namespace
}  // namespace huddle

int main(int count, char** arguments) {
  huddle::Options options;
  CLI::App app(
      "How good mappings are, and what they take. J is that of the first round, times are medians; "
      "exits with 1 if a mapping is invalid or worse than what is promised.");
  huddle::describe(app, options);
  CLI11_PARSE(app, count, arguments);
  try {
    if (options.write.empty()) return huddle::run(options) ? 0 : 1;
    huddle::write_instance(options);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mapping_table: {}\n", error.what());
    return dynamic_cast<const huddle::UsageError*>(&error) != nullptr ? 2 : 1;
  }
}

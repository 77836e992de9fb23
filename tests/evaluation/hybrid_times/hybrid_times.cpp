// Times of OpenMP phases on configurations that were not run, where the truth is known: tables for
// docs/evaluation.md.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "aggregator/render/table.hpp"
#include "tests/evaluation/hybrid_times/times_study.hpp"

namespace huddle::hybrid {
namespace {

struct Line {
  std::string name;
  Means means;
};

std::vector<Line> lines() {
  std::vector<Line> result = {
      {"3 samples, events", {}},
      {"the same, (7) and (8) as printed", {.method = predict::TimesMethod::kPublished}},
      {"3 samples, events, a thread a core", {.packed = false}}};
  for (const std::size_t samples : {3U, 2U, 1U})
    result.push_back({fmt::format("{} sample{}, times alone", samples, samples > 1 ? "s" : ""),
                      {.samples = samples, .events = false}});
  for (const std::size_t samples : {3U, 2U, 1U})
    result.push_back({fmt::format("{} sample{}, no training", samples, samples > 1 ? "s" : ""),
                      {.samples = samples, .events = false, .training = false}});
  return result;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

void print_node(const StudiedNode& node, std::uint64_t first_seed, std::uint64_t seeds) {
  using enum render::Table::Align;
  render::Table table({{node.name, kLeft},
                       {"within 10 %"},
                       {"error, median"},
                       {"90 %"},
                       {"in the interval"},
                       {"high/low, median"}});
  for (const Line& line : lines()) {
    StudyOutcome outcome;
    for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed)
      outcome.add(study_times(node, seed, line.means));
    table.add({line.name, percent(outcome.share_within(0.1)), percent(outcome.error_quantile(0.5)),
               percent(outcome.error_quantile(0.9)), percent(outcome.coverage()),
               fmt::format("{:.2f}", outcome.median_width())});
  }
  fmt::print("{}\n", table.text());
}

int run(int argc, char** argv) {
  CLI::App app{"Times of OpenMP phases on configurations that were not run, beside a known truth"};
  std::uint64_t seeds = 10;
  std::uint64_t first_seed = 1000;
  app.add_option("--seeds", seeds, "How many draws of the seven programs")->capture_default_str();
  app.add_option("--first-seed", first_seed, "Those below 1000 were looked at while it was written")
      ->capture_default_str();
  bool second = false;
  app.add_flag("--second-truth", second, "Phases of another author's, with other laws");
  CLI11_PARSE(app, argc, argv);
  for (const StudiedNode& node : second ? nodes_of_second_truth() : nodes_of_first_truth())
    print_node(node, first_seed, seeds);
  return 0;
}

}  // namespace
}  // namespace huddle::hybrid

int main(int argc, char** argv) {
  return huddle::hybrid::run(argc, argv);
}

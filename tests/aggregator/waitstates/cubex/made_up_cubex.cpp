// made_up_cubex FILE: writes a report with threads, a study and odd names as a file for Cube, and
// prints the same as JSON.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "aggregator/waitstates/cubex/cubex_file.hpp"
#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace {

using namespace huddle;

constexpr std::uint64_t kMs = 1'000'000;

// A second outermost region and threads; names that are no XML, no characters of XML, no UTF-8 or
// empty; ranks that alternate between nodes; a location whose name is missing.
WaitReport odd_report() {
  ReportMaker maker{small_report()};
  WaitReport& report = maker.report();
  report.trace = "<odd> & \"quoted\" \x01";
  report.call_paths[1].region = "exchange<T>(\"a\", 'b') & </name>]]>";
  report.call_paths[2].region = std::string("bell \x07, nul \0, tab \t, line\nend", 30);
  report.call_paths[4].region = "\xff\xfe\xed\xa0\x80 no UTF-8, \xef\xbf\xbf";
  report.locations[0].node = "b<";
  report.locations[1].node = "a\x1b[31m";
  report.locations[2].node = "b<";
  report.locations[3].node = "";
  report.locations[3].name = "";
  const std::uint32_t thread = maker.thread(1, 1);
  const std::uint32_t team = maker.path(CallPath::kRoot, "!$omp parallel");
  const std::uint32_t barrier = maker.path(team, "");
  const std::uint32_t same = maker.path(team, "MPI_Recv");
  maker.time(team, thread, 3, 1500 * kMs);
  maker.time(barrier, thread, 3, 90 * kMs);
  maker.time(same, thread, 1, 1 * kMs);
  maker.waits(WaitPattern::kWaitAtOpenmpBarrier, barrier, thread, 3, 29 * kMs);
  return maker.finish();
}

RunStudy odd_study() {
  RunStudy study;
  study.critical_path.emplace();
  study.critical_path->shares = {{0, 0, 100 * kMs, 100 * kMs},
                                 {2, 0, 1500 * kMs, 1810 * kMs},
                                 {2, 2, 300 * kMs, 900 * kMs},
                                 {CallPath::kRoot, 3, 90 * kMs, 90 * kMs}};
  study.critical_path->call_paths = {
      {0, 100 * kMs, 25 * kMs}, {2, 1800 * kMs, 700 * kMs}, {CallPath::kRoot, 90 * kMs, 67 * kMs}};
  study.slack.emplace();
  study.slack->call_paths = {{2, 1, 400 * kMs, 0, 50 * kMs, 30 * kMs},
                             {CallPath::kRoot, 2, 10 * kMs, 0, 5 * kMs, 5 * kMs}};
  study.delays.emplace();
  study.delays->costs = {{0, 1, 100.0 * kMs, 0},
                         {2, 0, 20.5 * kMs, 300.0 * kMs},
                         {2, 1, 4.0 * kMs, 1.0 * kMs, 1},
                         {CallPath::kRoot, 3, 0, 7.0 * kMs}};
  study.energy = {{{2, 0, 900 * kMs, 45.5}, {3, 1, 500 * kMs, 20}, {CallPath::kRoot, 1, kMs, 1}}};
  return study;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) return EXIT_FAILURE;
    const WaitReport report = odd_report();
    const RunStudy study = odd_study();
    save_cubex(report, study, argv[1]);
    const std::string text = waits_json(WaitAnswer(report, &study));
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? EXIT_SUCCESS
                                                                           : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}

// Prints the output of huddle waitstates for made-up reports: text, callpath, rank, csv-pattern,
// csv-callpath, csv-rank or json of a small one, the page of one with threads and odd names (page)
// and what is in it (page-json), or a large page.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "aggregator/waitstates/page/wait_page.hpp"
#include "aggregator/waitstates/report/waitstates_output.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace {

using namespace huddle;

// The way that the small report's critical path goes, in milliseconds.
waitstates::PageExtras small_extras() {
  constexpr std::uint64_t kMs = 1'000'000;
  waitstates::PageExtras extras;
  extras.critical_path = {{0, 0, 1890 * kMs}, {3, 1890 * kMs, 2000 * kMs}};
  extras.measures = {{"On the critical path",
                      "What made the run as long as it was.",
                      {{0, 0, 100 * kMs}, {2, 0, 1810 * kMs}, {0, 3, 90 * kMs}}},
                     {"Costs of delays",
                      "What made others wait.",
                      {},
                      {{"Direct", "At once.", {{2, 0, 900 * kMs}, {1, 0, 300 * kMs}}},
                       {"Propagated", "Through others.", {{2, 0, 200 * kMs}, {2, 3, 40 * kMs}}}}}};
  return extras;
}

// With threads, and with names that would be something else to a browser if they were not escaped.
waitstates::WaitReport odd_report() {
  waitstates::ReportMaker maker{waitstates::small_report()};
  constexpr std::uint64_t kMs = 1'000'000;
  waitstates::WaitReport& report = maker.report();
  report.trace = "<b>odd</b> & \"bold\"";
  report.call_paths[1].region =
      "exchange<T>\"&'</script><img src=x onerror=document.title='broken'>";
  report.call_paths[2].region = "\xff\xfe no UTF-8, <!-- nor this <script>";
  report.program = "/opt/odd/<b>heat & \"co\"";
  report.call_paths[2].file = "/src/<b>solve.c";
  report.call_paths[2].line = 12;
  report.locations[3].node = "<i>n1";
  const std::uint32_t thread = maker.thread(1, 1);
  const std::uint32_t team = maker.path(0, "!$omp parallel");
  const std::uint32_t barrier = maker.path(team, "!$omp barrier");
  maker.time(team, thread, 3, 1500 * kMs);
  maker.time(barrier, thread, 3, 90 * kMs);
  maker.waits(waitstates::WaitPattern::kWaitAtOpenmpBarrier, barrier, thread, 3, 29 * kMs);
  return maker.finish();
}

std::string output(const std::string& kind) {
  if (kind == "page") return waitstates::wait_page(odd_report(), small_extras());
  if (kind == "page-json") {
    const waitstates::WaitReport report = odd_report();
    return waitstates::waits_json(waitstates::WaitAnswer(report));
  }
  if (kind == "large-page") return waitstates::wait_page(waitstates::large_report(1024, 500));
  const waitstates::WaitReport report = waitstates::small_report();
  const waitstates::WaitAnswer answer(report);
  if (kind == "callpath") return waitstates::waits_text(answer, waitstates::WaitsBy::kCallPath);
  if (kind == "rank") return waitstates::waits_text(answer, waitstates::WaitsBy::kRank);
  if (kind == "csv-pattern") return waitstates::waits_csv(answer, waitstates::WaitsBy::kPattern);
  if (kind == "csv-callpath") return waitstates::waits_csv(answer, waitstates::WaitsBy::kCallPath);
  if (kind == "csv-rank") return waitstates::waits_csv(answer, waitstates::WaitsBy::kRank);
  if (kind == "json") return waitstates::waits_json(answer);
  return waitstates::waits_head_text(answer) + "\n" +
         waitstates::waits_text(answer, waitstates::WaitsBy::kPattern) +
         waitstates::waits_remarks_text(answer);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string text = output(argc > 1 ? argv[1] : "text");
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? EXIT_SUCCESS
                                                                           : EXIT_FAILURE;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}

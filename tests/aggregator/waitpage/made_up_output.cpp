// What huddle waitstates prints of made-up reports: text, callpath, rank, csv-..., json or html of
// a small one, or the page of a large one.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "aggregator/cli/waitstates_output.hpp"
#include "aggregator/waitpage/wait_page.hpp"
#include "tests/aggregator/waitstates/made_up_report.hpp"

namespace {

using namespace huddle;

// The way that the small report's critical path goes, in milliseconds.
PageExtras small_extras() {
  constexpr std::uint64_t kMs = 1'000'000;
  PageExtras extras;
  extras.critical_path = {{0, 0, 1890 * kMs}, {3, 1890 * kMs, 2000 * kMs}};
  extras.measures = {{"On the critical path",
                      "What made the run as long as it was.",
                      {{0, 0, 100 * kMs}, {2, 0, 1810 * kMs}, {0, 3, 90 * kMs}}}};
  return extras;
}

std::string output(const std::string& kind) {
  if (kind == "large-html") return wait_page(large_report(1024, 500));
  const WaitReport report = small_report();
  const WaitAnswer answer(report);
  if (kind == "callpath") return waits_text(answer, WaitsBy::kCallPath);
  if (kind == "rank") return waits_text(answer, WaitsBy::kRank);
  if (kind == "csv-pattern") return waits_csv(answer, WaitsBy::kPattern);
  if (kind == "csv-callpath") return waits_csv(answer, WaitsBy::kCallPath);
  if (kind == "csv-rank") return waits_csv(answer, WaitsBy::kRank);
  if (kind == "json") return waits_json(answer);
  if (kind == "html") return wait_page(report, small_extras());
  return waits_head_text(answer) + "\n" + waits_text(answer, WaitsBy::kPattern) +
         waits_remarks_text(answer);
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

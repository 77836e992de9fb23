#include <cmath>

#include "aggregator/study/dump_reader.hpp"
#include "aggregator/study/site_study.hpp"
#include "aggregator/study/site_tally.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace huddle;

void demand_amount(const study::JobAmount& amount) {
  demand(std::isfinite(amount.node_hours()) && amount.node_hours() >= 0);
  demand(std::isfinite(amount.charge()) && amount.charge() >= 0);
}

}  // namespace

/// Any text is either a dump of jobs that frees no more than they took, however it is cut into
/// pieces, or a huddle::Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = as_text(data, size);
  study::SiteTally tally;
  std::uint64_t jobs = 0;
  const auto read = parsed([&] {
    study::DumpReader reader("dump", [&](const study::DumpedJob& job) {
      ++jobs;
      tally.add(job);
    });
    const std::size_t half = text.size() / 2;
    reader.read(text.substr(0, half));
    reader.read(text.substr(half));
    reader.finish();
    return reader.faults();
  });
  if (!read) return 0;
  demand(read->first_broken.size() <= read->broken_lines);
  study::StudyOptions options;
  for (const study::Partition& partition : tally.partitions())
    options.nodes.push_back(partition.seen.learnt());
  // A study of many shapes takes long, and is nothing that a parser could do wrong.
  if (jobs > 20) return 0;
  const study::SiteStudy found = study::study_site(tally, options);
  demand(found.all.jobs + found.never_ran == jobs);
  demand_amount(found.all);
  demand_amount(found.packable);
  demand(found.freed_node_hours.low >= 0);
  demand(found.freed_node_hours.high <= found.all.node_hours() * (1 + 1e-9));
  return 0;
}

#include "aggregator/commands/common/removed_options.hpp"

#include <array>

namespace huddle::cli {
namespace {

struct RemovedOption {
  std::string_view command;
  std::string_view name;
  std::string_view replacement;
};

constexpr std::string_view kInRequest =
    "a request has it: --request FILE, see docs/formats/plan-request.md";

constexpr auto kRemovedOptions = std::to_array<RemovedOption>({
    {"huddle balance", "--output", "the answer goes to standard output: redirect it"},
    {"huddle doctor", "--patience", "it waits for nodes for a minute"},
    {"huddle energy discover", "--output", "the answer goes to standard output: redirect it"},
    {"huddle energy record", "--plot", "any tool for tables draws the file of --output"},
    {"huddle energy", "watch", "huddle energy record -o /dev/stdout prints power over time"},
    {"huddle forecast", "--choose-variables",
     "they are chosen together, or named by --keep-variable"},
    {"huddle forecast", "--decimal-mark", "numbers have a point: sed 's/,/./g' makes one"},
    {"huddle forecast", "--exclusive", "the column's name says it, as in exclusive_time"},
    {"huddle forecast", "--from-name", "--set ROLE=VALUE gives it, or a column"},
    {"huddle forecast", "--html", "--json has all numbers, for any tool that draws"},
    {"huddle forecast", "--leave-out-bad-rows", "remove the rows that errors name"},
    {"huddle forecast", "--machine", "columns of nodes and packages tell where runs were"},
    {"huddle forecast", "--separator", "fields are parted by tabs, semicolons, commas or bars"},
    {"huddle forecast", "--trees", "each forest has 100"},
    {"huddle forecast", "--unit", "--column ROLE=NAME:UNIT gives it"},
    {"huddle machine", "--memory-gib",
     "the topology has it, as in numa(memory=BYTES), or memory_bytes of its node in the document"},
    {"huddle machine calibrate", "--name",
     "the document keeps its name: give one by huddle machine --name"},
    {"huddle map", "--no-collectives",
     "collectives always count: give a METIS graph if they shall not"},
    {"huddle map", "--node-sizes", "a pattern says which cores of each node are used: --pattern"},
    {"huddle plan", "--user", kInRequest},
    {"huddle plan", "--keep-nodes", kInRequest},
    {"huddle plan", "--cores-per-rank", kInRequest},
    {"huddle plan", "--pack-threads", kInRequest},
    {"huddle plan", "--pack-ranks", "ranks get all the cores that they ask for"},
    {"huddle plan", "--size", kInRequest},
    {"huddle plan", "--profile", kInRequest},
    {"huddle plan", "--model", kInRequest},
    {"huddle plan", "--samples", kInRequest},
    {"huddle plan", "--explore", kInRequest},
    {"huddle plan", "--grouping", kInRequest},
    {"huddle plan", "--slowdown", kInRequest},
    {"huddle plan", "--risk", kInRequest},
    {"huddle plan", "--objective", kInRequest},
    {"huddle plan", "--least-nodes", kInRequest},
    {"huddle plan", "--computation", kInRequest},
    {"huddle plan", "--frequency", kInRequest},
    {"huddle plan", "--dry-run", kInRequest},
    {"huddle plan", "--keep-days", kInRequest},
    {"huddle plan", "--quota-files", kInRequest},
    {"huddle plan", "--quota-bytes", kInRequest},
    {"huddle plan", "--answer-within", kInRequest},
    {"huddle record", "--move-ranks", "a second run on nodes filled in different ways shows more"},
    {"huddle recommend", "--least-nodes",
     "a site has it: least_nodes in [limits] of huddle.toml; the table has all patterns"},
    {"huddle recommend", "--pack-ranks", "ranks get all the cores that they ask for"},
    {"huddle recommend", "--risk",
     "a site has it: risk in huddle.toml; the table has the intervals"},
    {"huddle recommend", "--threads", "it takes as many as there are cores"},
    {"huddle report", "--csv", "jq makes it of --json, see docs/formats/reading-documents.md"},
    {"huddle report", "--machine", "the site's is used: file in [machine] of huddle.toml"},
    {"huddle setup", "--name", "the name is that of Slurm's cluster: change it in the document"},
    {"huddle show", "--machine",
     "a trace tells what ranks wait for: huddle record --trace, then huddle waitstates"},
    {"huddle show", "--width",
     "no heat map is drawn in a terminal any more: --matrix FILE.svg draws one"},
    {"huddle train", "--program", "it is beside the recorder: --recorder"},
    {"huddle train", "--resume",
     "profiles are kept in MODEL.profiles, and those that are there are not run again"},
    {"huddle waitstates", "--base", "two runs are compared: huddle waitstates BEFORE AFTER"},
    {"huddle waitstates", "--counters", "tools that show traces show their counters, too"},
    {"huddle waitstates", "--cubex", "--json and --csv have every figure"},
    {"huddle waitstates", "--processes",
     "several processes were slower than one: --threads lets one use more cores"},
    {"huddle waitstates", "--program", "lines are shown that a trace has itself, as Score-P's do"},
});

}  // namespace

std::string_view replacement_of(std::string_view command, std::string_view option) {
  for (const RemovedOption& removed : kRemovedOptions)
    if (removed.command == command && removed.name == option) return removed.replacement;
  return {};
}

}  // namespace huddle::cli

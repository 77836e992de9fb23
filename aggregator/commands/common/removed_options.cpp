#include "aggregator/commands/common/command_description.hpp"

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
    {"huddle balance", "--interval", "clocks are looked at every 10 iterations"},
    {"huddle balance", "--output", "the answer goes to standard output: redirect it"},
    {"huddle balance", "--sensitivity", "all work is taken to follow the clock"},
    {"huddle doctor", "--partition", "salloc --partition=NAME --nodes=N huddle doctor"},
    {"huddle doctor", "--patience", "it waits for nodes for a minute"},
    {"huddle emit", "-o", "the answer goes to standard output: redirect it"},
    {"huddle emit", "--output", "the answer goes to standard output: redirect it"},
    {"huddle energy", "watch", "huddle energy record -o /dev/stdout prints power over time"},
    {"huddle energy discover", "--output", "the answer goes to standard output: redirect it"},
    {"huddle energy record", "--for", "give it a command that takes so long: -- sleep 10"},
    {"huddle energy record", "--plot", "any tool for tables draws the file of --output"},
    {"huddle explain", "--ranks", "each number of ranks is explained; --json has them apart"},
    {"huddle forecast", "--choose-variables",
     "they are chosen together, or named by --keep-variable"},
    {"huddle forecast", "--decimal-mark", "numbers have a point: sed 's/,/./g' makes one"},
    {"huddle forecast", "--exclusive", "the column's name says it, as in exclusive_time"},
    {"huddle forecast", "--from-name", "--set ROLE=VALUE gives it, or a column"},
    {"huddle forecast", "--html", "--json has all numbers, for any tool that draws"},
    {"huddle forecast", "--leave-out-bad-rows", "remove the rows that errors name"},
    {"huddle forecast", "--machine", "columns of nodes and packages tell where runs were"},
    {"huddle forecast", "--seed", "the same rows give the same forecast"},
    {"huddle forecast", "--separator", "fields are parted by tabs, semicolons, commas or bars"},
    {"huddle forecast", "--threads", "as many work as there are processors"},
    {"huddle forecast", "--trees", "each forest has 100"},
    {"huddle forecast", "--variables",
     "the published method keeps three, or those of --keep-variable"},
    {"huddle forecast", "--unit", "--column ROLE=NAME:UNIT gives it"},
    {"huddle forecast collect", "--label",
     "name the profiles: they are in folders of the store, USER/LABEL/RANKS"},
    {"huddle forecast collect", "--size",
     "--size-argument, or huddle record --size, says what size a run had"},
    {"huddle forecast collect", "--store",
     "name the profiles: they are in folders of the store, USER/LABEL/RANKS"},
    {"huddle forecast collect", "--user",
     "name the profiles: they are in folders of the store, USER/LABEL/RANKS"},
    {"huddle machine", "--memory-gib",
     "the topology has it, as in numa(memory=BYTES), or memory_bytes of its node in the document"},
    {"huddle machine calibrate", "--name",
     "the document keeps its name: give one by huddle machine --name"},
    {"huddle machine calibrate", "--resume",
     "the same command goes on behind what FILE.results holds, FILE being that of --output"},
    {"huddle map", "--no-collectives",
     "collectives always count: give a METIS graph if they shall not"},
    {"huddle map", "--node-sizes", "a pattern says which cores of each node are used: --pattern"},
    {"huddle plan", "--answer-within", kInRequest},
    {"huddle plan", "--computation", kInRequest},
    {"huddle plan", "--cores-per-rank", kInRequest},
    {"huddle plan", "--dry-run", kInRequest},
    {"huddle plan", "--explore", kInRequest},
    {"huddle plan", "--frequency", kInRequest},
    {"huddle plan", "--grouping", kInRequest},
    {"huddle plan", "--keep-days", kInRequest},
    {"huddle plan", "--keep-nodes", kInRequest},
    {"huddle plan", "--least-nodes", kInRequest},
    {"huddle plan", "--model", kInRequest},
    {"huddle plan", "--objective", kInRequest},
    {"huddle plan", "--pack-ranks", "ranks get all the cores that they ask for"},
    {"huddle plan", "--pack-threads", kInRequest},
    {"huddle plan", "--profile", kInRequest},
    {"huddle plan", "--quota-bytes", kInRequest},
    {"huddle plan", "--quota-files", kInRequest},
    {"huddle plan", "--risk", kInRequest},
    {"huddle plan", "--samples", kInRequest},
    {"huddle plan", "--size", kInRequest},
    {"huddle plan", "--slowdown", kInRequest},
    {"huddle plan", "--user", kInRequest},
    {"huddle recommend", "--least-nodes",
     "a site has it: least_nodes in [limits] of huddle.toml; the table has all patterns"},
    {"huddle recommend", "--pack-ranks", "ranks get all the cores that they ask for"},
    {"huddle recommend", "--risk",
     "a site has it: risk in huddle.toml; the table has the intervals"},
    {"huddle recommend", "--size-argument",
     "name the profiles of one size, or record it: huddle record --size"},
    {"huddle recommend", "--threads", "it takes as many as there are cores"},
    {"huddle record", "--move-ranks", "a second run on nodes filled in different ways shows more"},
    {"huddle record", "--slowdown", "a run that chooses keeps to 5 %"},
    {"huddle report", "--csv", "jq makes it of --json, see docs/formats/reading-documents.md"},
    {"huddle report", "--machine", "the site's is used: file in [machine] of huddle.toml"},
    {"huddle setup", "--name", "the name is that of Slurm's cluster: change it in the document"},
    {"huddle show", "--machine",
     "a trace tells what ranks wait for: huddle record --trace, then huddle waitstates"},
    {"huddle threads", "--emit", "--json has the line as teams"},
    {"huddle threads", "-o", "the answer goes to standard output: redirect it"},
    {"huddle threads", "--output", "the answer goes to standard output: redirect it"},
    {"huddle train", "--program", "it is beside the recorder: --recorder"},
    {"huddle train", "--resume",
     "profiles are kept in MODEL.profiles, and those that are there are not run again"},
    {"huddle waitstates", "--base", "two runs are compared: huddle waitstates BEFORE AFTER"},
    {"huddle waitstates", "--bins", "the page has up to 2000 slices of time, fewer of many ranks"},
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

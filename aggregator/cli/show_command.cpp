// huddle show: what a profile holds.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "aggregator/cli/commands.hpp"
#include "aggregator/cli/output.hpp"
#include "aggregator/cli/table.hpp"
#include "profiles/formats/profile.hpp"
#include "profiles/store/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

struct Options {
  std::string profile;
  std::string matrix;
  bool messages = false;
  bool check = false;
  bool json = false;
};

struct Totals {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

Totals totals_of(const Profile& profile) {
  Totals totals;
  for (const RankRecord& record : profile.rank_records)
    for (const SentMessages& cell : record.sent) {
      totals.messages += cell.messages;
      totals.bytes += cell.bytes.value;
    }
  return totals;
}

std::string matrix_row(const Profile& profile, const RankRecord* record, bool messages) {
  std::vector<std::uint64_t> row(profile.ranks);
  if (record != nullptr)
    for (const SentMessages& cell : record->sent)
      row[cell.receiver.value] += messages ? cell.messages : cell.bytes.value;
  return fmt::format("{}\n", fmt::join(row, ","));
}

// Row by row, so that a large matrix is never in memory.
void write_matrix(const Profile& profile, bool messages, const std::string& path) {
  constexpr std::uint32_t kMostRanks = 1U << 17U;  // at least 32 GiB of text
  if (!path.ends_with(".csv"))
    throw UsageError(
        fmt::format("--matrix {}: expected a name that ends in .csv", shortened(path)));
  if (profile.ranks > kMostRanks)
    throw Error(fmt::format("a matrix of {0} x {0} is too large to write out, at most {1} x {1}",
                            profile.ranks, kMostRanks));
  AtomicFile file(path);
  std::size_t next = 0;
  for (std::uint32_t rank = 0; rank < profile.ranks; ++rank) {
    const bool there =
        next < profile.rank_records.size() && profile.rank_records[next].rank.value == rank;
    file.write(matrix_row(profile, there ? &profile.rank_records[next++] : nullptr, messages));
  }
  file.commit();
}

// A profile may be a stranger's, and a terminal obeys control characters.
std::string printable(const std::string& text) {
  return shortened(text, text.size());
}

std::string identity_text(const Profile& profile) {
  std::string text;
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<14}{}\n", name, printable(value));
  };
  line("label", profile.label);
  line("user", profile.user);
  line("program", fmt::format("{} {}", profile.executable, fmt::join(profile.arguments, " ")));
  line("build id", profile.build_id);
  line("MPI", profile.mpi_library);
  if (profile.slurm_job_id != 0)
    line("job", fmt::format("{}.{}", profile.slurm_job_id, profile.slurm_step_id));
  line("started", profile.started_at);
  line("state",
       profile.complete ? "complete" : fmt::format("cut short: {}", profile.cut_short_reason));
  line("counters", profile.counters_absent_reason.empty()
                       ? "measured"
                       : "not measured: " + profile.counters_absent_reason);
  const Totals totals = totals_of(profile);
  line("ranks", fmt::format("{} on {} node(s)", profile.ranks, profile.nodes().size()));
  line("messages",
       fmt::format("{} point to point, {}", totals.messages, human_bytes(totals.bytes)));
  line("run time", fmt::format("{:.3f} s, of which computing {:.3f} s on average",
                               profile.run_time().value, profile.mean_computation_time().value));
  return text;
}

std::string ranks_text(const Profile& profile) {
  constexpr std::size_t kMostRows = 64;
  Table table({{"rank"},
               {"node", Table::Align::kLeft},
               {"PUs", Table::Align::kLeft},
               {"in MPI %"},
               {"peak memory"},
               {"sent"},
               {"to ranks"}});
  std::size_t rows = 0;
  for (const RankRecord& record : profile.rank_records) {
    if (rows++ == kMostRows) break;
    std::uint64_t bytes = 0;
    std::uint32_t receivers = 0;
    for (std::size_t i = 0; i < record.sent.size(); ++i) {
      bytes += record.sent[i].bytes.value;
      if (i == 0 || record.sent[i].receiver != record.sent[i - 1].receiver) ++receivers;
    }
    const double share =
        record.run_time > Seconds{0} ? 100 * (record.mpi_time / record.run_time) : 0;
    table.add({std::to_string(record.rank.value), printable(record.node), record.pus.list(),
               fmt::format("{:.1f}", share), human_bytes(record.peak_resident.value),
               human_bytes(bytes), std::to_string(receivers)});
  }
  std::string text = table.text();
  if (profile.rank_records.size() > kMostRows)
    text += fmt::format("... and {} ranks more\n", profile.rank_records.size() - kMostRows);
  return text;
}

std::string collectives_text(const Profile& profile) {
  struct Sum {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0;
    double longest_s = 0;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const RankRecord& record : profile.rank_records) {
    std::map<std::pair<std::string, std::string>, double> times;
    for (const CollectiveCalls& calls : record.collectives) {
      const std::pair key(calls.operation, calls.communicator);
      sums[key].calls += calls.calls;
      sums[key].bytes += calls.bytes.value;
      times[key] += calls.time.value;
    }
    for (const auto& [key, time] : times) sums[key].longest_s = std::max(sums[key].longest_s, time);
  }
  if (sums.empty()) return {};
  Table table({{"collective", Table::Align::kLeft},
               {"communicator", Table::Align::kLeft},
               {"calls of all ranks"},
               {"contributed"},
               {"longest s"}});
  for (const auto& [key, sum] : sums)
    table.add({printable(key.first), printable(key.second), std::to_string(sum.calls),
               human_bytes(sum.bytes), fmt::format("{:.4f}", sum.longest_s)});
  return "\n" + table.text();
}

std::string as_json(const Profile& profile) {
  const Totals totals = totals_of(profile);
  nlohmann::ordered_json answer = {{"label", profile.label},
                                   {"user", profile.user},
                                   {"executable", profile.executable},
                                   {"ranks", profile.ranks},
                                   {"nodes", profile.nodes().size()},
                                   {"complete", profile.complete},
                                   {"cut_short_reason", profile.cut_short_reason},
                                   {"run_time_s", profile.run_time().value},
                                   {"computation_s", profile.mean_computation_time().value},
                                   {"messages", totals.messages},
                                   {"bytes", totals.bytes}};
  answer["placement"] = nlohmann::ordered_json::array();
  for (const RankRecord& record : profile.rank_records)
    answer["placement"].push_back(
        {{"rank", record.rank.value}, {"node", record.node}, {"pus", record.pus.list()}});
  return answer.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void run(const Options& options) {
  const Profile profile = load_profile(options.profile);
  if (options.check) return put_out(options.profile + ": a valid profile\n");
  if (!options.matrix.empty()) return write_matrix(profile, options.messages, options.matrix);
  if (options.json) return put_out(as_json(profile));
  put_out(identity_text(profile) + "\n" + ranks_text(profile) + collectives_text(profile));
}

}  // namespace

void add_show_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("show", "Say what a profile holds, or write its matrix");
  command->add_option("PROFILE", options->profile, "a profile (.json or .cbor)")->required();
  CLI::Option* matrix = command->add_option(
      "--matrix", options->matrix,
      "write the point-to-point bytes to this .csv file: row = sender, column = "
      "receiver");
  command->add_flag("--messages", options->messages, "with --matrix: messages instead of bytes")
      ->needs(matrix);
  CLI::Option* check =
      command->add_flag("--check", options->check, "only say whether the file is a valid profile")
          ->excludes(matrix);
  command->add_flag("--json", options->json, "print a summary as JSON")
      ->excludes(matrix)
      ->excludes(check);
  command->callback([options] { run(*options); });
}

}  // namespace huddle

// Every way of sending a message that MPI has, persistent requests aside, in known numbers and
// sizes, and every world collective; and the truth about them, to compare a recorder with.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/programs/collective_checks.hpp"
#include "tests/programs/command_line.hpp"
#include "tests/programs/message_plan.hpp"
#include "tests/programs/message_runner.hpp"
#include "tests/programs/mpi_program.hpp"
#include "tests/programs/placement.hpp"

namespace {

constexpr const char* kProgram = "message_families";

struct Settings {
  int family = 0;
  int repeats = 1;
  programs::OutputFile truth;
  programs::OutputFile placement;
};

// The calls that one value of --family stands for.
struct Family {
  std::string name;
  std::vector<programs::SendCall> sends;
  std::vector<programs::CollectiveCheck> collectives;
};

std::vector<Family> families() {
  std::vector<programs::SendCall> all_sends;
  for (int call = 0; call < programs::kSendCalls; ++call)
    all_sends.push_back(static_cast<programs::SendCall>(call));
  const std::vector<programs::CollectiveCheck>& all_collectives = programs::collective_checks();
  std::vector<Family> known = {{"all", all_sends, all_collectives},
                               {"point-to-point", all_sends, {}},
                               {"collectives", {}, all_collectives}};
  for (const programs::SendCall call : all_sends)
    known.push_back({programs::send_call_names()[static_cast<std::size_t>(call)], {call}, {}});
  for (const programs::CollectiveCheck& check : all_collectives)
    known.push_back({check.name, {}, {check}});
  return known;
}

bool run(const Family& family, int repeats) {
  programs::MessageRunner runner;
  bool right = true;
  const double start = programs::start_clock();
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const programs::SendCall call : family.sends) right = runner.run(call) && right;
    for (const programs::CollectiveCheck& check : family.collectives)
      right = check.right() && right;
  }
  programs::stop_clock(start);
  return programs::everywhere(right);
}

// One line "SENDER RECEIVER MESSAGES BYTES" for each pair of world ranks with messages, sorted.
bool write_truth(const std::string& path, const Family& family, int repeats) {
  std::FILE* out = path == "-" ? stdout : std::fopen(path.c_str(), "w");
  if (out == nullptr) {
    programs::report(kProgram,
                     "--truth " + path + ": cannot be opened for writing: " + std::strerror(errno));
    return false;
  }
  for (const auto& [pair, traffic] : programs::truth(family.sends, programs::world_size()))
    std::fprintf(out, "%d %d %lld %lld\n", pair.first, pair.second,
                 static_cast<long long>(traffic.messages * repeats),
                 static_cast<long long>(traffic.bytes * repeats));
  const bool flushed = std::fflush(out) == 0 && std::ferror(out) == 0;
  const bool closed = out == stdout || std::fclose(out) == 0;
  if (!flushed || !closed)
    programs::report(kProgram, "--truth " + path + ": could not be written in full");
  return flushed && closed;
}

}  // namespace

int main(int argc, char** argv) {
  const programs::MpiSession mpi(&argc, &argv);
  const std::vector<Family> known = families();
  std::vector<std::string> names;
  for (const Family& family : known) names.push_back(family.name);

  Settings settings;
  programs::CommandLine options(
      kProgram,
      "Sends known numbers of messages of known sizes in every way, on MPI_COMM_WORLD, a "
      "duplicate\n"
      "and a split of it, and calls the world collectives; any number of ranks. Source, tag, size\n"
      "and contents of every message and the result of every collective are checked.");
  options.choice("--family", &settings.family, names, "the calls to make");
  options.number("--repeats", &settings.repeats, 1, 1000000, "how often to make all of them");
  options.file("--truth", &settings.truth,
               "where to write the point-to-point matrix, planned and not measured: lines of\n"
               "                     sender, receiver (world ranks), messages, bytes; only pairs\n"
               "                     with messages; sorted");
  options.file("--placement", &settings.placement, "where to write each rank's node and PUs");
  if (const auto code = options.parse(argc, argv)) return *code;

  const Family& family = known[static_cast<std::size_t>(settings.family)];
  bool right = run(family, settings.repeats);
  if (settings.truth.given && programs::world_rank() == 0)
    right = write_truth(settings.truth.path, family, settings.repeats) && right;
  if (settings.placement.given) right = programs::write_placement(settings.placement.path) && right;
  return right ? programs::kRight : programs::kWrong;
}

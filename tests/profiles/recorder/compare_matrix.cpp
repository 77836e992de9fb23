// Holds the matrix of a profile against another account of the same run.
//
//   compare_matrix monitoring PROFILE PREFIX   Open MPI's monitoring: files PREFIX.<rank>.prof
//   compare_matrix truth PROFILE FILE          lines "SENDER RECEIVER MESSAGES BYTES"
//   compare_matrix profiles PROFILE PROFILE    another profile, size class by size class
//   compare_matrix summary PROFILE             prints what else a profile says, to be searched
//
// Exit status 0 if equal, 1 if not (each difference is printed), 2 if something can't be read.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "profiles/formats/profile.hpp"
#include "profiles/vocabulary/error.hpp"

namespace {

using huddle::Error;
using huddle::Profile;

struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// By sender, receiver, size class; the class is 0 throughout where the other side knows none.
using Matrix = std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned>, Traffic>;

Matrix matrix_of(const Profile& profile, bool with_classes) {
  Matrix matrix;
  for (const auto& record : profile.rank_records)
    for (const auto& cell : record.sent) {
      Traffic& sum = matrix[{record.rank.value, cell.receiver.value,
                             with_classes ? unsigned{cell.size_class} : 0U}];
      sum.messages += cell.messages;
      sum.bytes += cell.bytes.value;
    }
  return matrix;
}

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("{} can't be opened", path.string()));
  return file;
}

// Lines of the program's own messages: "E SENDER RECEIVER BYTES bytes MESSAGES msgs sent ...".
Matrix read_monitoring(const std::string& prefix, std::uint32_t ranks) {
  Matrix matrix;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::ifstream file = open(fmt::format("{}.{}.prof", prefix, rank));
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string kind, unit;
      std::uint32_t sender = 0, receiver = 0;
      Traffic traffic;
      if (!(words >> kind) || kind != "E") continue;
      if (!(words >> sender >> receiver >> traffic.bytes >> unit >> traffic.messages))
        throw Error(fmt::format("{}.{}.prof: not understood: {}", prefix, rank, line));
      if (traffic.messages == 0) continue;
      Traffic& sum = matrix[{sender, receiver, 0U}];
      sum.messages += traffic.messages;
      sum.bytes += traffic.bytes;
    }
  }
  return matrix;
}

Matrix read_truth(const std::string& path) {
  Matrix matrix;
  std::ifstream file = open(path);
  std::uint32_t sender = 0, receiver = 0;
  for (Traffic traffic; file >> sender >> receiver >> traffic.messages >> traffic.bytes;)
    matrix[{sender, receiver, 0U}] = traffic;
  if (!file.eof()) throw Error(fmt::format("{} is not a truth file", path));
  return matrix;
}

int compare(const Matrix& found, const Matrix& expected) {
  std::map<Matrix::key_type, std::pair<Traffic, Traffic>> both;
  for (const auto& [key, traffic] : found) both[key].first = traffic;
  for (const auto& [key, traffic] : expected) both[key].second = traffic;
  int differences = 0;
  Traffic total;
  for (const auto& [key, sides] : both) {
    const auto& [sender, receiver, size_class] = key;
    total.messages += sides.first.messages;
    total.bytes += sides.first.bytes;
    if (sides.first == sides.second) continue;
    ++differences;
    fmt::print("{} to {} (class {}): found {} messages, {} bytes; expected {} messages, {} bytes\n",
               sender, receiver, size_class, sides.first.messages, sides.first.bytes,
               sides.second.messages, sides.second.bytes);
  }
  fmt::print("pairs {} messages {} bytes {} differences {}\n", both.size(), total.messages,
             total.bytes, differences);
  return differences == 0 ? 0 : 1;
}

int summarise(const Profile& profile) {
  fmt::print("label {}\nuser {}\nranks {}\ncomplete {}\ncut_short_reason {}\n", profile.label,
             profile.user, profile.ranks, profile.complete, profile.cut_short_reason);
  fmt::print("executable {}\nbuild_id {}\nmpi_library {}\njob {} step {}\n", profile.executable,
             profile.build_id, profile.mpi_library, profile.slurm_job_id, profile.slurm_step_id);
  for (const std::string& argument : profile.arguments) fmt::print("argument {}\n", argument);
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> collectives;
  for (const auto& record : profile.rank_records) {
    fmt::print("record {} on {} pus {} mpi_time_below_run_time {} memory_known {}\n",
               record.rank.value, record.node, record.pus.list(),
               record.mpi_time <= record.run_time, record.peak_resident.value > 0);
    for (const auto& calls : record.collectives) {
      auto& sum = collectives[fmt::format("{} {} {}", calls.operation, calls.communicator,
                                          calls.participants)];
      sum.first += calls.calls;
      sum.second += calls.bytes.value;
    }
  }
  for (const auto& [what, sum] : collectives)
    fmt::print("collective {} calls {} bytes {}\n", what, sum.first, sum.second);
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.empty() ? "" : arguments[0];
  if (mode == "summary" && arguments.size() == 2)
    return summarise(huddle::load_profile(arguments[1]));
  if (arguments.size() != 3) throw Error("arguments: see the head of compare_matrix.cpp");
  const Profile profile = huddle::load_profile(arguments[1]);
  if (mode == "monitoring")
    return compare(matrix_of(profile, false), read_monitoring(arguments[2], profile.ranks));
  if (mode == "truth") return compare(matrix_of(profile, false), read_truth(arguments[2]));
  if (mode == "profiles")
    return compare(matrix_of(profile, true), matrix_of(huddle::load_profile(arguments[2]), true));
  throw Error(fmt::format("no mode is called {}", mode));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    fmt::print(stderr, "compare_matrix: {}\n", failure.what());
    return 2;
  }
}

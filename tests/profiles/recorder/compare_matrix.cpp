// Holds a profile against another account of the same run.
//
//   compare_matrix monitoring PROFILE PREFIX   Open MPI's monitoring: files PREFIX.<rank>.prof
//   compare_matrix monitoring-beside-0 ...     the same, but not what rank 0 sends and receives
//   compare_matrix truth PROFILE FILE          what the program says: see account_files.hpp
//   compare_matrix profiles PROFILE PROFILE    another profile, messages size class by size class
//   compare_matrix traffic PROFILE PROFILE     the same, and all other traffic and collectives
//   compare_matrix computed PROFILE            prints how long ranks computed before their calls
//   compare_matrix summary PROFILE             prints what else a profile says, to be searched
//
// Exit status 0 if equal, 1 if not (each difference is printed), 2 if something can't be read.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"
#include "tests/profiles/recorder/account.hpp"
#include "tests/profiles/recorder/account_files.hpp"

namespace {

using huddle::Error;
using huddle::Profile;

Account all_traffic_of(const Profile& profile) {
  Account account = messages_of(profile, Detail::kSizeClasses);
  account.merge(other_traffic_of(profile, Detail::kSizeClasses));
  account.merge(collectives_of(profile, Detail::kSizeClasses));
  return account;
}

// A truth without size classes says nothing of collectives, and knows of no other traffic.
int compare_with_truth(const Profile& profile, const Truth& truth) {
  if (truth.detail == Detail::kSizeClasses)
    return compare(all_traffic_of(profile), truth.account) + report_contradictions(profile) > 0;
  Account found = messages_of(profile, Detail::kTotals);
  found.merge(other_traffic_of(profile, Detail::kTotals));
  return compare(found, truth.account);
}

Account without_rank_0(Account messages, std::uint32_t ranks) {
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    messages.erase(matrix_words("sent", 0, rank, Detail::kTotals, 0));
    messages.erase(matrix_words("sent", rank, 0, Detail::kTotals, 0));
  }
  return messages;
}

// Each delimiter ends a pass through a phase, and MPI_Finalize the last one. Phases and their names
// must be the same on all ranks of a program in which all do the same.
void summarise_phases(const Profile& profile) {
  std::map<std::uint64_t, std::size_t> ranks_in;
  for (const auto& record : profile.rank_records) {
    std::uint64_t passes = 0;
    for (const auto& phase : record.phases) {
      passes += phase.count;
      ++ranks_in[phase.group];
    }
    std::uint64_t delimiters = 0;
    for (const auto& kind : record.calls)
      if (kind.operation == "waitall" || kind.operation == "waitsome" ||
          kind.operation == "win_fence")
        delimiters += kind.calls;
    for (const auto& calls : record.collectives)
      if (!calls.operation.starts_with('i')) delimiters += calls.calls;
    fmt::print("record {} passes {} delimiters {}\n", record.rank.value, passes, delimiters);
  }
  for (const auto& group : profile.shared.phase_groups)
    fmt::print("phase on {} ranks from {} to {}\n", ranks_in[group.id], group.begin, group.end);
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
  summarise_phases(profile);
  return 0;
}

int print_computed(const Profile& profile) {
  for (const auto& record : profile.rank_records)
    for (const auto& kind : record.calls)
      fmt::print("rank {} before {} {:.0f} us of {:.0f} us\n", record.rank.value, kind.operation,
                 kind.before.value_or(huddle::Seconds{-1e-6}).value * 1e6,
                 record.computation_time().value * 1e6);
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.empty() ? "" : arguments[0];
  if (mode == "summary" && arguments.size() == 2)
    return summarise(huddle::load_profile(arguments[1]));
  if (mode == "computed" && arguments.size() == 2)
    return print_computed(huddle::load_profile(arguments[1]));
  if (arguments.size() != 3) throw Error("arguments: see the head of compare_matrix.cpp");
  const Profile profile = huddle::load_profile(arguments[1]);
  const std::string& other = arguments[2];
  if (mode == "monitoring")
    return compare(messages_of(profile, Detail::kTotals), read_monitoring(other, profile.ranks));
  if (mode == "monitoring-beside-0")
    return compare(without_rank_0(messages_of(profile, Detail::kTotals), profile.ranks),
                   without_rank_0(read_monitoring(other, profile.ranks), profile.ranks));
  if (mode == "truth") return compare_with_truth(profile, read_truth(other, profile.ranks));
  if (mode == "profiles")
    return compare(messages_of(profile, Detail::kSizeClasses),
                   messages_of(huddle::load_profile(other), Detail::kSizeClasses));
  if (mode == "traffic")
    return compare(all_traffic_of(profile), all_traffic_of(huddle::load_profile(other)));
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

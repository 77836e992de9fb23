#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/ids.hpp"
#include "profiles/vocabulary/pu_set.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// What a rank sent to one receiver in one size class (see size_class.hpp): a non-zero cell of the
/// rank x rank matrix.
struct SentMessages {
  Rank receiver;
  std::uint8_t size_class = 0;
  std::uint64_t messages = 0;
  Bytes bytes;
};

/// A rank's calls of one collective operation with one size class of its own contribution.
struct CollectiveCalls {
  /// The MPI function's name without MPI_ and in lower case: "allreduce".
  std::string operation;
  /// "world", or "derived" for any other communicator.
  std::string communicator = "world";
  /// How many ranks take part.
  std::uint32_t participants = 0;
  std::uint8_t size_class = 0;
  std::uint64_t calls = 0;
  /// What this rank contributes, summed over the calls.
  Bytes bytes;
  /// Wall time inside the calls, waiting included.
  Seconds time;
};

/// What one rank did.
struct RankRecord {
  Rank rank;
  /// Host name.
  std::string node;
  /// Where the rank was allowed to run when MPI_Finalize began.
  PuSet pus;
  /// Wall time from the end of MPI_Init to the begin of MPI_Finalize.
  Seconds run_time;
  /// Wall time inside MPI between the two, waiting included.
  Seconds mpi_time;
  /// CPU time of the process between the two (all its threads); absent if the writer did not know
  /// it.
  std::optional<Seconds> cpu_time;
  /// Peak resident size of the process; 0 if the writer did not know it.
  Bytes peak_resident;
  /// Sparse, ordered by receiver and size class, no pair twice.
  std::vector<SentMessages> sent;
  std::vector<CollectiveCalls> collectives;

  /// Wall time outside MPI.
  [[nodiscard]] Seconds computation_time() const { return run_time - mpi_time; }
};

/// What one run of a program did. Described field by field in docs/formats/profile.md.
struct Profile {
  static constexpr std::string_view kFormat = "profile";
  static constexpr unsigned kVersion = 1;

  std::string label;
  std::string user;
  std::uint32_t ranks = 0;
  /// False if the run ended before every rank reached MPI_Finalize. Such a profile holds what was
  /// known by then, of the ranks that could still write, and is never used for a plan.
  bool complete = true;
  /// Why a profile is not complete; empty otherwise.
  std::string cut_short_reason;

  std::string executable;
  /// GNU build id in hexadecimal; empty if the program has none.
  std::string build_id;
  std::vector<std::string> arguments;
  /// The library's name and version as it says itself, one line.
  std::string mpi_library;
  /// 0 outside Slurm.
  std::uint64_t slurm_job_id = 0;
  std::uint32_t slurm_step_id = 0;
  /// UTC, ISO 8601; empty if unknown.
  std::string started_at;
  /// Why there are no hardware counters; empty if there are.
  std::string counters_absent_reason;

  /// Ascending by rank. All ranks if complete.
  std::vector<RankRecord> rank_records;

  /// Wall time of the program: of the slowest rank.
  [[nodiscard]] Seconds run_time() const;
  /// Wall time outside MPI, averaged over the ranks that reported; 0 if none did.
  [[nodiscard]] Seconds mean_computation_time() const;
  /// The different nodes, in order of their lowest rank.
  [[nodiscard]] std::vector<std::string> nodes() const;
  /// The largest number of ranks on one node; 0 if no rank reported.
  [[nodiscard]] std::uint32_t ranks_per_node() const;
};

/// Reads a profile, JSON or CBOR. Throws SystemError or FormatError (see document.hpp): nothing of
/// a broken file is returned. Ranks out of range, twice or missing from a complete profile are
/// errors too.
Profile load_profile(const std::filesystem::path& path);

/// The same from memory; `file` is what errors call it.
Profile parse_profile(std::string_view bytes, std::string_view file);

/// Writes `profile` atomically; JSON, or CBOR if the path ends in .cbor. Throws SystemError.
void save_profile(const Profile& profile, const std::filesystem::path& path);

}  // namespace huddle

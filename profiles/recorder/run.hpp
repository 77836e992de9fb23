#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "profiles/formats/profile.hpp"
#include "profiles/recorder/channel.hpp"
#include "profiles/recorder/destination.hpp"
#include "profiles/recorder/persistent_sends.hpp"
#include "profiles/recorder/process_facts.hpp"
#include "profiles/recorder/threads.hpp"

namespace huddle::recorder {

/// One rank's part of one recorded run, from the end of MPI_Init on. Whatever needs MPI is done by
/// the constructor and write_complete(); the rest works where MPI can't be called any more.
class Run {
 public:
  /// Collective over MPI_COMM_WORLD. Throws Error.
  Run(Program program, Destination destination, Job job);

  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  Threads& threads() { return threads_; }
  PersistentSends& persistent() { return persistent_; }
  /// The state of the thread that called MPI_Init: its time inside MPI is the rank's.
  [[nodiscard]] ThreadState& first_thread() const { return first_thread_; }

  /// This rank's record up to now. Safe from any thread, while others record.
  [[nodiscard]] RankRecord record() const;

  /// Collective: rank 0 writes the profile of all ranks, holding one other rank's record at a time.
  /// `kept` tells whether this rank has kept all counts. Throws Error; on rank 0 only if the file
  /// was not written.
  void write_complete(bool kept);

  /// Writes a profile of this rank only, marked as cut short for `reason`, unless there is a file
  /// already: all ranks try the same name. Throws Error.
  void write_cut_short(const std::string& reason) const;

  /// Whether this process is the rank, and not a copy made by fork().
  [[nodiscard]] bool is_this_process() const;

  /// True for the first caller only: who may write the profile.
  bool end() { return !ended_.exchange(true); }

 private:
  [[nodiscard]] Profile description() const;
  [[nodiscard]] std::filesystem::path path(std::chrono::system_clock::time_point when) const;
  void agree_on_identity(Job job);
  // Empty if this rank can't tell what it did.
  [[nodiscard]] std::string piece(bool kept, Encoding encoding) const noexcept;
  void write_all(const std::string& own, Encoding encoding) const;

  Program program_;
  Destination destination_;
  Channel channel_;
  int process_;
  std::uint32_t rank_;
  std::uint32_t ranks_;
  RunIdentity identity_;
  std::string library_;
  Threads threads_;
  ThreadState& first_thread_;
  PersistentSends persistent_;
  std::atomic<bool> ended_{false};
  Seconds cpu_begin_;
  Moment begin_;
};

}  // namespace huddle::recorder

#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/recorder/trace/recorded_trace.hpp"

namespace huddle::recorder {

/// The folder in which the ranks of a traced run keep their events while the program runs, beside
/// the place of the trace. A run that is cut short leaves it behind. Its content is not trusted:
/// only files with names that the recorder gives are read or removed, and none outside of it. Safe
/// from several threads.
class RawTraceFolder {
 public:
  /// "<trace>.raw-<run>".
  static std::filesystem::path path_of(const std::filesystem::path& trace, std::string_view run);
  /// In the folder `raw`: what a rank's events refer to, and the events of one of its threads.
  static std::filesystem::path definitions_file(const std::filesystem::path& raw,
                                                std::uint32_t rank);
  static std::filesystem::path events_file(const std::filesystem::path& raw, std::uint32_t rank,
                                           std::size_t thread);
  /// True if the environment says HUDDLE_TRACE_RAW=keep: the files stay when the trace is made.
  static bool is_to_be_kept();
  /// True if `path` is a folder of such a name, and no trace.
  static bool is_one(const std::filesystem::path& path);
  /// Those of the trace that would be at `trace`, by name.
  static std::vector<std::filesystem::path> beside(const std::filesystem::path& trace);

  /// Throws Error if it is none.
  explicit RawTraceFolder(std::filesystem::path path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Where the trace belongs.
  [[nodiscard]] std::filesystem::path trace() const;

  /// The ranks that have written their definitions, ascending. Throws SystemError.
  [[nodiscard]] std::vector<std::uint32_t> ranks() const;
  /// Reads the record of one of them; its files are those in this folder, wherever they were made.
  /// Throws FormatError, SystemError.
  [[nodiscard]] RecordedTrace read(std::uint32_t rank) const;

  /// True if a process that records still lives: it holds locks on its files. On file systems that
  /// know no locks, or not those of other nodes, the answer may be no. Throws SystemError.
  [[nodiscard]] bool is_locked() const;
  /// When a file in it was last written to. Rank 0 of a run that goes on writes every few seconds.
  [[nodiscard]] std::filesystem::file_time_type last_written() const;

  /// Removes the recorder's files, and the folder if nothing else is in it.
  void remove() const noexcept;

 private:
  std::filesystem::path path_;
};

/// Locks a file of events that this process has open for writing, until it is closed or the process
/// ends. A file system without locks is no failure.
void lock_events(int descriptor) noexcept;

}  // namespace huddle::recorder

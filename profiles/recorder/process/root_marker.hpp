#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace huddle::recorder {

/// A small file by which rank 0 of a run shows the others that it has the recorder. They may not
/// send it a message: a program without the recorder would receive that as its own. Name and
/// content name the run, so that what a dead run left behind misleads nobody. One thread's.
class RootMarker {
 public:
  using Time = std::chrono::system_clock::time_point;

  /// Ranks may call MPI_Init this far apart; an older file is a dead run's, whatever it contains.
  static constexpr std::chrono::hours kLongestStart{1};

  /// The file is beside `landmark`, in the same folder; `run` names the run (Launch::run).
  RootMarker(std::filesystem::path landmark, std::string run);

  /// Makes the file, in place of an older one of that name. Throws SystemError.
  void make(Time now = std::chrono::system_clock::now());
  /// True if this object made the file and has not removed it.
  [[nodiscard]] bool made() const { return process_ != 0; }
  /// Removes the file if this process made it.
  void withdraw() noexcept;

  /// True if rank 0's file is there and names this run.
  [[nodiscard]] bool visible(Time now = std::chrono::system_clock::now()) const noexcept;

 private:
  std::filesystem::path landmark_;
  std::string run_;
  std::filesystem::path file_;
  int process_ = 0;
};

}  // namespace huddle::recorder

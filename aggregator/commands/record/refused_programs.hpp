#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace huddle::cli {

/// Why nothing of `command`, a launcher with a program, or a program, may get the recorder, for
/// people: "./solver has a sanitizer". Empty if nothing speaks against it. The launcher's ranks
/// may be started by a process of Slurm's, or on another node, where nobody judges them: so all
/// words are looked at that name a program which the recorder would end. `preloaded` is LD_PRELOAD.
std::string why_not_recorded(const std::vector<std::string>& command, const std::string& preloaded,
                             const std::string& recorder);

/// Explains why no profile has come of `command`: the first of its words that names a
/// program without the recorder, and why it had none. Empty if there is none.
std::string program_without_recorder(const std::vector<std::string>& command,
                                     const std::string& recorder);

/// The word of `command` that starts a container, in which later words ask for the recorder. Empty
/// if there is none.
std::string container_with_recorder(const std::vector<std::string>& command);

/// A file in which libhuddle_exec.so notes which programs it has kept from getting the recorder, in
/// ranks and in what starts them. It is there as long as this object.
class RefusedPrograms {
 public:
  /// Makes the file beside `profile`, where all nodes see it (kRefusedPrograms). Where that is not
  /// possible, nothing is noted.
  explicit RefusedPrograms(const std::filesystem::path& profile);
  ~RefusedPrograms();
  RefusedPrograms(const RefusedPrograms&) = delete;
  RefusedPrograms& operator=(const RefusedPrograms&) = delete;

  /// The last program that was noted, and why: "./solver has a sanitizer". Empty if there is none.
  [[nodiscard]] std::string last() const;

 private:
  std::filesystem::path file_;  // empty: there is none
};

}  // namespace huddle::cli

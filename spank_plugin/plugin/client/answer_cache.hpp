#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace huddle::plugin {

/// Answers of Slurm's controller, kept for seconds for the next submissions of the same user: who
/// submits a thousand jobs in a row asks the same each time. In files below the user's runtime
/// directory, which is this machine's memory; where that is not the user's alone, nothing is kept.
/// An answer counts for exactly the question that it was given to. At most 64 are kept, of at most
/// 64 KiB each. Any failure means that there is no answer, or that it is not kept. For one thread;
/// safe beside other processes.
class AnswerCache {
 public:
  /// `runtime_directory`: the value of XDG_RUNTIME_DIR; empty: nothing is kept.
  explicit AnswerCache(const std::string& runtime_directory);

  /// The answer to that question, if it was given less than `most_age` ago.
  [[nodiscard]] std::optional<std::string> find(
      std::string_view question, std::chrono::seconds most_age,
      std::chrono::system_clock::time_point now = std::chrono::system_clock::now()) const;
  void keep(std::string_view question, std::string_view answer) const;

  /// The kept answer, or what `ask` says, which is kept then. Throws what `ask` throws.
  [[nodiscard]] std::string answer(std::string_view question, std::chrono::seconds most_age,
                                   const std::function<std::string()>& ask) const;

 private:
  [[nodiscard]] std::filesystem::path file_for(std::string_view question) const;

  std::filesystem::path folder_;  ///< empty: there is none
};

}  // namespace huddle::plugin

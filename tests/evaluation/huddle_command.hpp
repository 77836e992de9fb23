#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/predict/pattern/pattern.hpp"

namespace huddle::evaluation {

/// The answer of `huddle recommend` for a pattern.
struct Prediction {
  double computation_s = 0;
  double time_s = 0;
  /// `time_s` lies between them with 90 % probability; NaN if huddle does not say.
  double low_s = 0;
  double high_s = 0;
  /// NaN if huddle does not say.
  double energy_j = 0;
  bool feasible = false;
};

struct Answer {
  /// Empty if no pattern is feasible.
  std::string chosen;
  std::string reference;
  /// The predictions by the pattern's name.
  std::map<std::string, Prediction> patterns;
};

/// The places that ranks get: a core each, or a PU each, so that they may share a core (--smt).
enum class Threads : std::uint8_t { kEachCore, kEachPu };

/// The command `huddle`, run as its users run it.
class HuddleCommand {
 public:
  explicit HuddleCommand(std::filesystem::path executable) : executable_(std::move(executable)) {}

  /// True if it can fit models; asks for the help of `huddle train` and keeps it in `help`.
  [[nodiscard]] bool can_train(const std::filesystem::path& help) const;
  /// `samples`: the patterns that programs will be measured on. Throws Error if the command fails;
  /// so does the next one.
  void train(const std::vector<std::filesystem::path>& profiles,
             const std::filesystem::path& machine, const std::vector<predict::Pattern>& samples,
             const std::filesystem::path& model, Threads threads) const;
  /// `output` is the file that the answer is kept in.
  [[nodiscard]] Answer recommend(const std::vector<std::filesystem::path>& profiles,
                                 const std::filesystem::path& machine,
                                 const std::optional<std::filesystem::path>& model,
                                 const std::filesystem::path& output, Threads threads) const;

 private:
  [[nodiscard]] bool succeeds(const std::vector<std::string>& arguments,
                              const std::filesystem::path& output) const;

  std::filesystem::path executable_;
};

}  // namespace huddle::evaluation

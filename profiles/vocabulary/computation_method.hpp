#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace huddle {

/// The method that predicts computation on a pattern that was not run.
enum class ComputationMethod : std::uint8_t {
  kSimple,  ///< like the sample whose ranks share most alike (simple_model.hpp)
  kPaper,   ///< regression on IPC and events (paper_model.hpp)
  kShared,  ///< contention for caches and memory (shared_model.hpp)
  kPrior,   ///< the same, of a machine on which nothing was learnt (usual_contention())
};

inline constexpr std::string_view kComputationMethodNames = "paper, shared, prior or simple";

/// The word that options and documents use: "simple", "paper", "shared" or "prior".
std::string_view name_of(ComputationMethod method);
/// The method of that name, or nothing.
std::optional<ComputationMethod> computation_method_of(std::string_view name);

}  // namespace huddle

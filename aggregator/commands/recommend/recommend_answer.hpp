#pragma once

// huddle recommend in plain data: from what is on its command line to what it says.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aggregator/balance/balance_advice.hpp"
#include "aggregator/recommend/recommendation.hpp"

namespace huddle::cli {

/// The values on the command line.
struct RecommendOptions {
  std::vector<std::string> profiles;
  std::string machine;
  std::string model;
  std::string size;
  /// Empty: one rank a node, or on a machine of fewer nodes spread evenly over all of them.
  std::string reference;
  std::optional<std::uint32_t> nodes;
  /// Criteria for patterns that are acceptable, and for the best of them.
  std::string slowdown = "5%";
  std::string objective = "energy";
  std::string computation = "auto";
  std::string frequency = "keep";
  /// Empty: as the machine document says.
  std::string unused_nodes;
  std::uint32_t cores_per_rank = 0;
  bool smt = false;
  std::string plan;
  bool json = false;
};

struct RecommendAnswer {
  recommend::Recommendation recommendation;
  /// Absent where clocks that follow loads save nothing.
  std::optional<balance::BalanceAdvice> balance;
  /// The fate of nodes that the job leaves unused, and who says so: a sentence for people.
  /// Empty where no energy is predicted.
  std::string unused_nodes;
  /// Remarks beside the table, one sentence each.
  std::vector<std::string> notes;
  /// The slowdown that was acceptable.
  double bound = 0;
};

/// Reads all that the options name, ranks the patterns, and writes the plan if one is asked for.
/// Throws Error, UsageError.
RecommendAnswer recommend_by(const RecommendOptions& options);

/// For people, and as JSON.
std::string recommend_text(const RecommendAnswer& answer);
std::string recommend_json(const RecommendAnswer& answer);

}  // namespace huddle::cli

#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiles/formats/plan/plan_request.hpp"
#include "tests/evaluation/huddle_command.hpp"
#include "tests/evaluation/observed_profile.hpp"
#include "tests/evaluation/run_store.hpp"
#include "tests/evaluation/score.hpp"

namespace huddle::evaluation {

/// The runs of each program that are measured before a recommendation.
enum class Samples : std::uint8_t {
  kPackedAndSpread,  ///< one die packed, and ranks spread over all dies (task aggregation, 4 and 5)
  kEnds,             ///< one rank a node, and all cores
  kOne,              ///< one rank a node, and nothing else
  kMixed,            ///< one rank a node, and a run whose nodes are filled in different ways
};

/// The patterns that programs are measured on, on such nodes.
std::vector<predict::Pattern> patterns_of(Samples samples, const commgraph::NodeTopology& node,
                                          std::uint32_t ranks);

struct StudyOptions {
  /// One kind of node, a few programs, few ranks: in seconds.
  bool quick = false;
  /// The seed of programs that are drawn at random, in place of the named ones; other kinds of
  /// contention are asked, too.
  std::optional<std::uint64_t> seed;
  /// Ask for recommendations without a model, even if huddle can train one.
  bool untrained = false;
  /// Jobs of so many ranks only; 0: all.
  std::uint32_t ranks = 0;
  /// Train only where there is no model yet.
  bool keep_models = false;
  Samples samples = Samples::kMixed;
  /// The largest predicted slowdown of a mixed run, as a share.
  double sample_slowdown = PlanRequest{}.sample_slowdown;
  std::filesystem::path huddle;
  /// Where documents, answers and simulated runs are kept.
  std::filesystem::path folder;
  std::size_t processes = 2;
};

/// One program on one cluster with one number of ranks.
struct Case {
  Cluster cluster;
  Program program;
  std::uint32_t ranks = 0;

  [[nodiscard]] std::string name() const;
};

struct CaseScore {
  Case subject;
  Counting counting = Counting::kEvents;
  Score score;
};

/// Simulates, trains where huddle can, asks for recommendations and compares them with what was
/// simulated.
class Study {
 public:
  explicit Study(const StudyOptions& options);

  std::vector<CaseScore> run();
  /// True if the recommendations were made with trained models.
  [[nodiscard]] bool trained() const { return trained_; }

 private:
  /// A run whose nodes are filled in different ways: its profile, and how much longer it took than
  /// the first one.
  struct SecondRun {
    std::filesystem::path file;
    std::vector<predict::Pattern> nodes;
    double slowdown = 0;
  };

  /// The profiles that a recommendation is made from, and the names of their patterns.
  struct Sampled {
    std::vector<std::filesystem::path> files;
    std::set<std::string> patterns;
    /// NaN without a second run.
    double second_slowdown = std::numeric_limits<double>::quiet_NaN();
  };

  [[nodiscard]] std::filesystem::path folder_of(const Cluster& cluster) const;
  [[nodiscard]] std::filesystem::path machine_of(const Cluster& cluster) const;
  [[nodiscard]] std::optional<std::filesystem::path> model_of(const Cluster& cluster) const;
  /// The run's profile on a placement that is called `where`; returns its file.
  std::filesystem::path measure(const Case& subject, const Placement& placement,
                                std::string_view where, Counting counting,
                                std::string_view kind) const;
  /// On the pattern, in rank order.
  std::filesystem::path measure(const Case& subject, const predict::Pattern& pattern,
                                Counting counting, std::string_view kind) const;
  [[nodiscard]] std::optional<SecondRun> second_run(const Case& subject,
                                                    const std::filesystem::path& first,
                                                    Counting counting) const;
  [[nodiscard]] Sampled samples_of(const Case& subject, Counting counting) const;
  void write_machines() const;
  void train() const;
  [[nodiscard]] std::vector<std::filesystem::path> training_profiles(const Cluster& cluster) const;
  void judge(const Case& subject) const;
  [[nodiscard]] Truths truths_of(const Case& subject) const;
  [[nodiscard]] std::filesystem::path score_file(const Case& subject, Counting counting) const;

  StudyOptions options_;
  HuddleCommand huddle_;
  RunStore runs_;
  std::vector<Cluster> clusters_;
  std::vector<Program> training_;
  std::vector<Case> cases_;
  bool trained_ = false;
};

}  // namespace huddle::evaluation

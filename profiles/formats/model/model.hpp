#pragma once

// The model document: what huddle train has learnt from training programs. Described field by field
// in docs/formats/model.md.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/vocabulary/quantities.hpp"

namespace huddle {

/// One phase group of a training program on one pattern.
struct ModelSample {
  /// "2:1:2".
  std::string pattern;
  /// Wall time outside MPI of all passes, mean over the ranks. Above 0.
  Seconds time;
  /// Standard error of `time` as a share of it, 0 or more.
  double relative_error = 0;
  /// Hardware events of all passes, mean over the ranks, by name; 0 or more each.
  std::map<std::string, double> counts;
  /// Clock of the cores in Hz, above 0; absent if cycles were not counted.
  std::optional<double> clock = {};

  friend bool operator==(const ModelSample&, const ModelSample&) = default;
};

struct ModelGroup {
  std::string name;
  /// One or more, ascending by pattern; no pattern twice.
  std::vector<ModelSample> samples;

  friend bool operator==(const ModelGroup&, const ModelGroup&) = default;
};

/// A training program with one input and number of ranks.
struct ModelProgram {
  std::string program;
  std::string run;
  bool has_events = false;
  /// One or more, all with samples on the same patterns.
  std::vector<ModelGroup> groups;

  friend bool operator==(const ModelProgram&, const ModelProgram&) = default;
};

inline constexpr std::size_t kModelMachineParameters = 9;
inline constexpr std::size_t kModelDemandParameters = 3;

/// A shape of contention, fitted.
struct ModelShape {
  /// "roofline", "serial", "overlap", "queueing" or "power".
  std::string shape;
  /// Share that it has in predictions, 0 to 1.
  double weight = 0;
  /// log_package_share, log_node_share, cache_curve, log_overlap, log_queueing, log_miss_time_s,
  /// log_die_share, log_numa_share, log_thread_cost.
  std::array<double, kModelMachineParameters> machine{};
  /// Mean of the demands of programs, and their covariance row by row (symmetric, positive
  /// definite).
  std::array<double, kModelDemandParameters> demand_mean{};
  std::array<double, kModelDemandParameters * kModelDemandParameters> demand_covariance{};
  /// Standard errors of log times, growth of misses, and bandwidth by misses; above 0.
  double time_tolerance = 0;
  double growth_tolerance = 0;
  double traffic_tolerance = 0;

  friend bool operator==(const ModelShape&, const ModelShape&) = default;
};

/// A linear function of the paper's terms, for one target pattern and class of IPC.
struct ModelPaperFit {
  std::string target;
  /// 0 to 3: IPC in [0,1), [1,1.5), [1.5,2), [2,inf); absent: all.
  std::optional<std::uint32_t> ipc_class;
  double constant = 0;
  std::vector<double> coefficients;
  /// Strength of the ridge penalty, 0 or more.
  double strength = 0;
  /// Number of samples that it was fitted to.
  std::uint32_t rows = 0;
  /// Root mean square error of IPC on samples left out; absent if none could be.
  std::optional<double> left_out_error;

  friend bool operator==(const ModelPaperFit&, const ModelPaperFit&) = default;
};

/// A prediction for a program that was left out of training.
struct ModelLeftOut {
  std::string program;
  std::string run;
  std::string pattern;
  /// Both above 0.
  Seconds measured;
  Seconds predicted;

  friend bool operator==(const ModelLeftOut&, const ModelLeftOut&) = default;
};

/// Both models, for programs with hardware events or for those with times alone.
struct ModelFit {
  bool with_events = false;
  /// One or more.
  std::vector<std::string> sample_patterns;
  /// One or more; weights sum to 1, no shape twice.
  std::vector<ModelShape> shapes;
  /// Above 0.
  double widening = 1;
  std::vector<ModelLeftOut> shared_errors;
  std::vector<std::string> paper_events;
  std::vector<ModelPaperFit> paper_fits;
  /// 0 or more.
  double paper_relative_error = 0;
  std::vector<ModelLeftOut> paper_errors;

  friend bool operator==(const ModelFit&, const ModelFit&) = default;
};

/// The model that training learnt. Described field by field in docs/formats/model.md.
struct Model {
  static constexpr std::string_view kFormat = "model";
  static constexpr unsigned kVersion = 1;

  /// Name of the machine that the programs ran on; may be empty.
  std::string machine;
  /// One or more.
  std::vector<ModelProgram> programs;
  /// One or two; the first one for times alone.
  std::vector<ModelFit> fits;
  /// Files that it was made from.
  std::vector<std::string> made_from;

  friend bool operator==(const Model&, const Model&) = default;
};

/// Throws SystemError or FormatError (see document.hpp): nothing of a broken file is returned.
Model load_model(const std::filesystem::path& path);
/// The same from memory; `file` is what errors call it.
Model parse_model(std::string_view bytes, std::string_view file);

/// Writes atomically. Throws SystemError.
void save_model(const Model& model, const std::filesystem::path& path);
/// The document as text.
std::string to_json(const Model& model);

}  // namespace huddle

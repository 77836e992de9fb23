#include "aggregator/operations/calibrate/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "aggregator/operations/launch/launcher.hpp"
#include "aggregator/predict/communication/time_curve.hpp"
#include "commgraph/topology/node_topology.hpp"

namespace huddle::operations {
namespace {

namespace fs = std::filesystem;

// One rank on every core of every node, node by node.
Plan plan_for(const commgraph::NodeTopology& node, std::size_t nodes) {
  Plan plan;
  plan.chosen.nodes = static_cast<std::uint32_t>(nodes);
  for (std::uint32_t index = 0; index < plan.chosen.nodes; ++index)
    for (const commgraph::NodeTopology::Core& core : node.cores)
      plan.placement.push_back({{index}, core.pus});
  plan.ranks = static_cast<std::uint32_t>(plan.placement.size());
  return plan;
}

// A folder that is gone with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    path_ = (fs::temp_directory_path() / "huddle-calibration-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) throw SystemError("create", path_, errno);
  }
  ~ScratchFolder() {
    std::error_code left_behind;
    fs::remove_all(path_, left_behind);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void show_progress(const CalibrationObserver& observer, const fs::path& results) {
  try {
    const CalibrationResults now = load_calibration(results);
    observer.measured(std::min<std::size_t>(now.size(), now.planned), now.planned);
  } catch (const Error&) {
    // Not there yet.
  }
}

}  // namespace

void run_calibration(const CalibrationOptions& options, const Machine& machine,
                     const fs::path& results, const CalibrationObserver& observer) {
  const commgraph::NodeTopology node = commgraph::load_topology(machine.topology, "the machine");
  const Launcher launcher(options.launcher,
                          options.hosts.empty() ? allocated_hosts() : options.hosts);
  const Plan plan = plan_for(node, launcher.hosts().size());
  if (plan.ranks < 2) throw Error("there is one core only: nothing can be measured between ranks");
  // One for each MPI.
  const bool mpich = launcher.kind() == LauncherKind::kMpich;
  const std::string program = program_beside_recorder(
      options.program, "", mpich ? "huddle_calibration_mpich" : "huddle_calibration",
      "calibration");
  std::vector<std::uint32_t> pus;
  for (const commgraph::NodeTopology::Core& core : node.cores)
    pus.push_back(core.pus.members().front());
  const ScratchFolder folder;
  RunRequest request;
  launcher.place(request, plan,
                 {program, "--results", fs::absolute(results).string(), "--seconds",
                  fmt::format("{}", options.budget.value), "--layout", layout_of(machine),
                  "--cores", fmt::format("{}", fmt::join(pus, ",")), "--what",
                  fmt::format("{}", fmt::join(options.what, ","))},
                 folder.path());
  request.look = [&] { show_progress(observer, results); };
  observer.begins(plan.ranks, plan.chosen.nodes);
  const RunEnd end = run_to_end(request);
  if (end.interrupted) throw UnfinishedCalibration("interrupted: what was measured is kept");
  if (end.status != 0)
    throw UnfinishedCalibration(fmt::format("{} failed with status {}; what was measured is kept",
                                            request.command.front(), end.status));
}

std::string layout_of(const Machine& machine) {
  const commgraph::NodeTopology node = commgraph::load_topology(machine.topology, "the machine");
  return fmt::format("{}:{}:{}", node.packages, node.dies_per_package, node.cores_per_die);
}

CalibrationResults results_from(const std::vector<std::string>& files) {
  CalibrationResults all = load_calibration(files.front());
  for (std::size_t i = 1; i < files.size(); ++i) {
    const CalibrationResults more = load_calibration(files[i]);
    if (more.layout != all.layout)
      throw UsageError(
          fmt::format("{} is of nodes of {}, {} of nodes of {}: they can't be one machine",
                      files.front(), all.layout, files[i], more.layout));
    all.merge(more);
  }
  return all;
}

Machine machine_of(const CalibrationResults& results) {
  std::string counts = results.layout;
  counts.replace(counts.find(':'), 1, " die:");
  counts.replace(counts.rfind(':'), 1, " core:");
  Machine machine;
  machine.name = "nodes";
  machine.topology = fmt::format("package:{} pu:1", counts);
  return machine;
}

void put_in(Machine& machine, const CalibrationResults& results) {
  if (const std::string layout = layout_of(machine); layout != results.layout)
    throw UsageError(
        fmt::format("the results are of nodes of {}, the machine has {}", results.layout, layout));
  for (const MessageTimes& entry : results.messages) {
    LinkTime& link = machine.links[static_cast<std::size_t>(entry.distance)];
    if (entry.pairs == 1) link = predict::fitted_link(entry.times).value_or(link);
  }
  if (!results.messages.empty()) machine.messages = results.messages;
  if (!results.collectives.empty()) machine.collectives = results.collectives;
  if (!results.memory_streams.empty()) machine.memory_streams = results.memory_streams;
}

}  // namespace huddle::operations

#include "profiles/store/step_energies.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnergyPrefix = "energy-";
constexpr std::uint64_t kMostEnergyFileBytes = 4096;
// Between the clocks of nodes, and between the end of a step and of its launcher.
constexpr std::chrono::seconds kClocksApart{120};
// A step is announced before its launcher's record begins, or after it ended, by no more.
constexpr Seconds kAroundLauncher{10};
// The most seconds or joules: a figure that a user made up must not spoil sums.
constexpr double kMost = 1e15;

template <class Number>
bool read(std::string_view text, Number& value) {
  const auto number = number_in<Number>(text);
  value = number.value_or(0);
  return number.has_value();
}

// Reads the job and the step of a name energy-JOB.STEP-NODE-TIME.
std::optional<std::pair<std::uint64_t, std::uint32_t>> step_in(std::string_view name) {
  if (!name.starts_with(kEnergyPrefix)) return std::nullopt;
  name.remove_prefix(kEnergyPrefix.size());
  std::pair<std::uint64_t, std::uint32_t> step;
  if (!read(take_until(name, '.'), step.first) || !read(take_until(name, '-'), step.second))
    return std::nullopt;
  return step;
}

bool is_possible(double value) {
  return value >= 0 && value < kMost;
}

// The words of a file: step, node, end, seconds known, joules measured and attributed.
std::optional<NodeStepEnergy> energy_in(std::string_view text) {
  NodeStepEnergy energy;
  if (!text.ends_with('\n')) return std::nullopt;
  text.remove_suffix(1);
  std::string_view step = take_until(text, ' ');
  if (!read(take_until(step, '.'), energy.job) || !read(step, energy.step)) return std::nullopt;
  energy.node = std::string(take_until(text, ' '));
  const auto end = parse_utc(std::string(take_until(text, ' ')));
  if (energy.node.empty() || !end) return std::nullopt;
  energy.end = *end;
  if (!read(take_until(text, ' '), energy.known.value) ||
      !read(take_until(text, ' '), energy.measured.value) || !read(text, energy.attributed.value))
    return std::nullopt;
  if (!is_possible(energy.known.value) || !is_possible(energy.measured.value) ||
      !is_possible(energy.attributed.value))
    return std::nullopt;
  return energy;
}

bool is_of_run(const NodeStepEnergy& energy, UtcTime start, Seconds elapsed) {
  using std::chrono::duration_cast;
  using Duration = UtcTime::duration;
  const auto lasting = [](Seconds time) {
    return duration_cast<Duration>(std::chrono::duration<double>(time.value));
  };
  if (!is_possible(elapsed.value) || energy.known > elapsed + kAroundLauncher) return false;
  const UtcTime begin = energy.end - lasting(energy.known);
  return begin >= start - kClocksApart && energy.end <= start + lasting(elapsed) + kClocksApart;
}

}  // namespace

void store_step_energy(const fs::path& folder, const NodeStepEnergy& energy) {
  files::AtomicFile file(folder / fmt::format("{}{}.{}-{}-{}", kEnergyPrefix, energy.job,
                                              energy.step, energy.node, text_of(energy.end)));
  file.write(fmt::format("{}.{} {} {} {:.3f} {:.3f} {:.3f}\n", energy.job, energy.step, energy.node,
                         text_of(energy.end), energy.known.value, energy.measured.value,
                         energy.attributed.value));
  file.commit_soon();
}

StepEnergies::StepEnergies(fs::path folder) : folder_(std::move(folder)) {
  for (std::string& name : files::names_in(folder_))
    if (const auto step = step_in(name)) names_[*step].push_back(std::move(name));
}

std::optional<StepEnergy> StepEnergies::of(std::uint64_t job, std::uint32_t step,
                                           std::uint32_t nodes, UtcTime start,
                                           Seconds elapsed) const {
  const auto found = names_.find({job, step});
  if (found == names_.end()) return std::nullopt;
  std::map<std::string, NodeStepEnergy> by_node;
  for (const std::string& name : found->second) {
    try {
      const auto energy = energy_in(files::read_own_file(folder_ / name, kMostEnergyFileBytes));
      if (!energy || energy->job != job || energy->step != step) continue;
      if (!is_of_run(*energy, start, elapsed)) continue;
      // Two of one node: which one is the step's is not known.
      if (!by_node.emplace(energy->node, *energy).second) return std::nullopt;
    } catch (const Error&) {  // removed meanwhile
    }
  }
  if (by_node.size() != nodes) return std::nullopt;
  StepEnergy sum;
  for (const auto& [node, energy] : by_node) {
    sum.measured += energy.measured;
    sum.attributed += energy.attributed;
  }
  return sum;
}

}  // namespace huddle::store

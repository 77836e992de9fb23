#include "aggregator/commands/record/closing_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "aggregator/commands/show/place_names.hpp"
#include "aggregator/commands/show/show_sections.hpp"
#include "aggregator/efficiency/busiest_pair.hpp"
#include "aggregator/efficiency/counter_rates.hpp"
#include "aggregator/efficiency/report/efficiency_text.hpp"
#include "aggregator/efficiency/run_efficiency.hpp"
#include "aggregator/predict/energy/profile_energy.hpp"
#include "aggregator/render/heatmap/pair_matrix.hpp"
#include "profiles/formats/profile/profile.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

// Read within a second.
constexpr std::uintmax_t kLargestFile = 16U << 20U;
// A part that loses less is nothing to begin with.
constexpr double kEfficient = 0.9;

// Whoever opens the file by a command is told what is wrong with it.
std::optional<Profile> readable_profile(const std::filesystem::path& file) {
  std::error_code absent;
  const std::uintmax_t size = std::filesystem::file_size(file, absent);
  if (absent || size > kLargestFile) return std::nullopt;
  try {
    return load_profile(file);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string run_words(const Profile& profile, const efficiency::RunEfficiency& run) {
  std::string words = fmt::format(
      "{}, {}", shortened(std::filesystem::path(profile.executable).filename().string()),
      pluralize(run.ranks, "rank"));
  if (run.hybrid) words += fmt::format(" of {} in all", pluralize(run.threads, "thread"));
  if (!run.by_node.empty()) words += " on " + pluralize(run.by_node.size(), "node");
  words += fmt::format(", {:.4g} s", run.elapsed.value);
  if (!profile.complete) words += ", cut short";
  return words;
}

// "allreduce at norm (halo+0x2f4a)": the innermost call of a path; huddle show has all of it.
std::string innermost(const std::string& path) {
  return printable(path.substr(0, path.find(" < ")));
}

std::string phase_line(const efficiency::RunEfficiency& run, const PlaceNames& places) {
  if (run.by_phase.empty() || run.by_phase.front().lost_share < 0.001) return {};
  const efficiency::PhaseEfficiency& phase = run.by_phase.front();
  const efficiency::MpiEfficiency& mpi = phase.efficiency.mpi;
  std::string why =
      fmt::format("load balance {} x communication {}", efficiency::share_text(mpi.load_balance),
                  efficiency::share_text(mpi.communication));
  if (phase.efficiency.openmp)
    why += " x OpenMP " + efficiency::share_text(phase.efficiency.openmp->parallel());
  if (phase.slowest_ratio > 1.05)
    why += fmt::format("; rank {} computes {:.2f} times the mean", phase.slowest.value,
                       phase.slowest_ratio);
  const std::string begin = places.named(phase.group.begin);
  const std::string end = places.named(phase.group.end);
  return fmt::format("most is lost from {} to {}: {} of the run ({})", innermost(begin),
                     begin == end ? "the next" : innermost(end),
                     efficiency::share_text(phase.lost_share), why);
}

std::string pair_line(const Profile& profile) {
  const std::optional<efficiency::BusiestPair> pair = efficiency::busiest_pair_of(profile);
  if (!pair) return {};
  const std::string bytes = render::human_bytes(pair->bytes.value);
  const std::string all = render::human_bytes(pair->all.value);
  constexpr std::uint64_t kFew = 8;
  if (pair->as_busy > kFew)
    return fmt::format("{} pairs of ranks talk most, {} each of {}", pair->as_busy, bytes, all);
  std::string line = fmt::format("ranks {} and {} talk most: {} of {}", pair->low.value,
                                 pair->high.value, bytes, all);
  if (pair->as_busy > 1)
    line += fmt::format("; {} as much",
                        pluralize(pair->as_busy - 1, "other pair does", "other pairs do"));
  return line;
}

std::string meters_line(const Profile& profile, const efficiency::RunEfficiency& run) {
  std::vector<std::string> parts;
  if (const std::optional<Joules> energy = predict::energy_by_meters(profile))
    parts.push_back(fmt::format("energy {:.4g} J ({:.3g} W)", energy->value,
                                energy->value / run.elapsed.value));
  const efficiency::CounterRates rates = efficiency::counter_rates_of(profile);
  if (rates.ipc) parts.push_back(fmt::format("{:.2f} instructions per cycle", *rates.ipc));
  if (rates.memory)
    parts.push_back(fmt::format("{:.3g} GB/s from memory, by misses of the last cache",
                                rates.memory->value / 1e9));
  std::string line;
  for (const std::string& part : parts) line += (line.empty() ? "" : ", ") + part;
  return line;
}

// As a shell reads it.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word)
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

// A traced run is followed by a line of its own.
std::string next_line(const efficiency::RunEfficiency& run, const std::string& file,
                      const RecordedCommand& command) {
  if (command.traced) return {};
  const efficiency::Efficiency& whole = run.whole;
  const double openmp = whole.openmp ? whole.openmp->parallel() : 1;
  const double others = std::min(whole.mpi.load_balance, openmp);
  if (whole.mpi.communication < kEfficient && whole.mpi.communication <= others) {
    std::string words;
    for (const std::string& word : command.words) words += " " + quoted(word);
    const std::string recorder =
        command.recorder.empty() ? "" : "--recorder " + quoted(command.recorder) + " ";
    return fmt::format(
        "next, what is waiting and what transfer: huddle record --trace {}-o {} --{}", recorder,
        quoted(command.output), words);
  }
  return fmt::format("next, by phase, node and rank: huddle show {}", quoted(file));
}

std::vector<std::string> lines_of_one(const Profile& profile, const std::string& file,
                                      const RecordedCommand& command) {
  const std::optional<efficiency::RunEfficiency> run = efficiency::efficiency_of(profile);
  if (!run) return {};
  std::vector<std::string> lines = {
      run_words(profile, *run), efficiency_words(*run),     phase_line(*run, PlaceNames(profile)),
      pair_line(profile),       meters_line(profile, *run), next_line(*run, file, command)};
  std::erase(lines, "");
  return lines;
}

}  // namespace

std::vector<std::string> closing_lines(const std::vector<std::filesystem::path>& profiles,
                                       const RecordedCommand& command) {
  constexpr std::size_t kMostPrograms = 12;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(profiles.size(), kMostPrograms); ++i) {
    const std::optional<Profile> profile = readable_profile(profiles[i]);
    if (!profile) continue;
    const std::string file = profiles[i].string();
    if (profiles.size() == 1) return lines_of_one(*profile, file, command);
    if (const auto run = efficiency::efficiency_of(*profile))
      lines.push_back(
          fmt::format("{}: {}, {}", file, run_words(*profile, *run), efficiency_words(*run)));
  }
  if (!lines.empty()) lines.push_back("next, of each of them: huddle show FILE");
  return lines;
}

}  // namespace huddle::cli

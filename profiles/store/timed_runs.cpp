#include "profiles/store/timed_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/files/own_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"
#include "profiles/vocabulary/hash.hpp"
#include "profiles/vocabulary/launched_program.hpp"

namespace huddle::store {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostTimedBytes = 8192;

// A program is found by its name: a job may copy it to a folder of its own.
std::string prefix_of(const TimedLayout& layout) {
  std::string identity =
      fmt::format("{}\n{}\n{}\n{}", layout.script, LaunchedProgram{layout.program, {}}.name(),
                  layout.pattern, layout.nodes);
  if (!layout.clocks.empty()) identity += '\n' + layout.clocks;
  return fmt::format("timed-{:016x}-", hash_of(identity));
}

// The words of a file: job, step, start, elapsed seconds, build id or "-", status, and behind them
// the program's path, which may hold spaces.
std::optional<TimedRun> timed_in(const std::string& text) {
  constexpr std::size_t kWords = 6;
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < text.size() && words.size() < kWords) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (words.size() != kWords || begin >= text.size() || !text.ends_with('\n')) return std::nullopt;
  TimedRun run;
  const auto read = [](const std::string& word, auto& value) {
    const auto number = number_in<std::remove_reference_t<decltype(value)>>(word);
    value = number.value_or(0);
    return number.has_value();
  };
  const auto start = parse_utc(words[2]);
  if (!read(words[0], run.job) || !start || !read(words[3], run.elapsed.value)) return std::nullopt;
  if (!(run.elapsed.value > 0 && run.elapsed.value < 1e12)) return std::nullopt;
  run.step = words[1];
  run.start = *start;
  if (words[4] != "-") run.build_id = words[4];
  if (!read(words[5], run.status)) return std::nullopt;
  run.program = text.substr(begin, text.size() - 1 - begin);
  return run;
}

}  // namespace

std::string timed_pattern(const std::string& pattern, Hertz clocks) {
  if (!(clocks.value > 0)) return pattern;
  return fmt::format("{} at {:.0f} kHz", pattern, clocks.value / 1e3);
}

Seconds least_explained(Seconds as_submitted, double least) {
  constexpr double kUnpredicted = 0.1;
  return as_submitted * (1 + least) * (1 - kUnpredicted) - kAroundStep;
}

void store_timed_run(const fs::path& folder, const TimedLayout& layout, const TimedRun& run) {
  files::AtomicFile file(folder /
                         fmt::format("{}{}-{}", prefix_of(layout), text_of(run.start), run.step));
  file.write(fmt::format("{} {} {} {:.3f} {} {} {}\n", run.job, run.step, text_of(run.start),
                         run.elapsed.value, run.build_id.empty() ? "-" : run.build_id, run.status,
                         layout.program));
  file.commit_soon();
}

std::vector<TimedRun> timed_runs(const fs::path& folder, const TimedLayout& layout,
                                 std::size_t most) {
  const std::string prefix = prefix_of(layout);
  std::vector<std::string> names;
  for (const std::string& name : files::names_in(folder))
    if (name.starts_with(prefix)) names.push_back(name);
  std::sort(names.begin(), names.end());  // by time
  std::vector<TimedRun> runs;
  for (std::size_t i = names.size() - std::min(most, names.size()); i < names.size(); ++i) {
    try {
      auto timed = timed_in(files::read_own_file(folder / names[i], kMostTimedBytes));
      if (timed &&
          same_program({timed->program, timed->build_id}, {layout.program, layout.build_id}))
        runs.push_back(*std::move(timed));
    } catch (const Error&) {  // removed meanwhile
    }
  }
  return runs;
}

}  // namespace huddle::store

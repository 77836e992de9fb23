#include "profiles/records/step_profiles.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string_view>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/store/store.hpp"

namespace huddle::records {
namespace {

namespace fs = std::filesystem;

// The newest one since the step began.
std::string newest(const fs::path& folder, const OutcomeRun& run, std::string_view prefix,
                   const std::string& step) {
  const std::string earliest = store::Store::profile_name("", "", run.start, prefix);
  std::string found;
  for (const std::string& name : files::names_in(folder))
    if (name.starts_with(prefix) && name.find(step) != std::string::npos && name >= earliest &&
        name > found)
      found = name;
  return found;
}

// Where srun-aggregate started the step, only the recorder knows its number.
std::string with_prefix(const fs::path& folder, const OutcomeRun& run, std::string_view prefix) {
  if (run.step) return newest(folder, run, prefix, fmt::format("Z-{}.{}-pid", run.job, *run.step));
  std::string found = newest(folder, run, prefix, fmt::format("Z-{}.batch-pid", run.job));
  return found.empty() ? newest(folder, run, prefix, fmt::format("Z-{}.", run.job)) : found;
}

// Adds the lines that the recorder could not print in the step (Store::kSaidPrefix).
void add_said(const fs::path& folder, Outcome& record) {
  constexpr std::uint64_t kMostBytes = 65536;
  const OutcomeRun& run = *record.run;
  const std::string begin =
      run.step ? fmt::format("{}{}.{}-", store::Store::kSaidPrefix, run.job, *run.step)
               : fmt::format("{}{}.", store::Store::kSaidPrefix, run.job);
  for (const std::string& name : files::names_in(folder)) {
    if (!name.starts_with(begin)) continue;
    std::istringstream lines(files::read_file(folder / name, kMostBytes));
    for (std::string line; std::getline(lines, line);) record.messages.push_back(line);
  }
}

}  // namespace

std::string profile_of_step(const fs::path& folder, const Outcome& record) {
  if (!record.run) return {};
  std::string found;
  if (record.treatment == Treatment::kMeasured)
    found = with_prefix(folder, *record.run, store::Store::kProfilePrefix);
  else if (record.treatment == Treatment::kPacked)
    found = with_prefix(folder, *record.run, store::Store::kPackedProfilePrefix);
  if (found.empty()) found = with_prefix(folder, *record.run, store::Store::kBalancedProfilePrefix);
  return found.empty() ? found : (folder / found).string();
}

Outcome load_record(const fs::path& file) {
  Outcome record = load_outcome(file);
  if (!record.profile_file.empty() || !record.end || record.treatment != Treatment::kMeasured)
    return record;
  record.profile_file = profile_of_step(file.parent_path(), record);
  if (record.profile_file.empty()) add_said(file.parent_path(), record);
  return record;
}

}  // namespace huddle::records

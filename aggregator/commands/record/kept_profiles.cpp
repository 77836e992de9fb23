#include "aggregator/commands/record/kept_profiles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/pluralize.hpp"

namespace huddle::cli {
namespace {

using Moment = std::filesystem::file_time_type;

Moment last_written(const std::filesystem::path& file) {
  std::error_code absent;
  const Moment moment = std::filesystem::last_write_time(file, absent);
  return absent ? Moment::min() : moment;
}

std::string name_of(const store::RecordedRun& run) {
  return shortened(std::filesystem::path(run.program).filename().string());
}

}  // namespace

std::string words_of(const store::RecordedRun& program) {
  return fmt::format("{}, {}", name_of(program), pluralize(program.ranks, "rank"));
}

KeptProfiles::KeptProfiles(const std::filesystem::path& profile)
    : profile_(profile), list_(profile), before_(last_written(profile)) {
  if (std::filesystem::is_directory(profile))
    throw UsageError(fmt::format("--output {}: it is a folder", profile.string()));
  try {
    list_.make();
  } catch (const SystemError& failure) {
    throw UsageError(fmt::format("--output {}: nothing can be written there: {}", profile.string(),
                                 failure.what()));
  }
  std::filesystem::path list = std::filesystem::absolute(profile);
  began_ = last_written(list += ".runs");
}

KeptProfiles::~KeptProfiles() {
  list_.remove();
}

bool KeptProfiles::is_written(std::uint32_t number) const {
  const Moment moment = last_written(store::file_of_run(profile_, number));
  return number == 1 ? moment != before_ : moment >= began_;
}

bool KeptProfiles::are_none() const {
  return list_.runs().empty() && !is_written(1);
}

std::vector<std::filesystem::path> KeptProfiles::written() const {
  std::vector<std::filesystem::path> files;
  const auto programs = std::max<std::size_t>(list_.runs().size(), 1);
  for (std::uint32_t number = 1; number <= programs; ++number)
    if (is_written(number)) files.push_back(store::file_of_run(profile_, number));
  return files;
}

std::vector<std::string> KeptProfiles::lines(bool interrupted) const {
  std::vector<std::string> kept;
  std::vector<std::string> lines;
  const std::vector<store::RecordedRun> runs = list_.runs();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(i + 1);
    const std::string file = store::file_of_run(profile_, number).string();
    if (is_written(number))
      kept.push_back(fmt::format("{} ({})", file, words_of(runs[i])));
    else
      lines.push_back(fmt::format(
          "no profile was written to {}: {} ({}) began with the recorder, and ended without "
          "MPI_Finalize in the first two seconds ({})",
          file, name_of(runs[i]), pluralize(runs[i].ranks, "rank"),
          interrupted ? "it was interrupted"
                      : "a crash, _exit, or an error that MPI ended it for"));
  }
  if (interrupted && !kept.empty())
    lines.push_back(
        fmt::format("interrupted: what was recorded up to then is in {}", fmt::join(kept, ", ")));
  else if (runs.size() > 1 && !kept.empty())
    lines.push_back(
        fmt::format("{}: {}", pluralize(kept.size(), "profile"), fmt::join(kept, ", ")));
  return lines;
}

}  // namespace huddle::cli

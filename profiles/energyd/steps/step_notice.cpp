#include "profiles/energyd/steps/step_notice.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "profiles/files/atomic_file.hpp"
#include "profiles/files/folder_names.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::energyd {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostNoticeBytes = std::uint64_t{64} << 10U;
constexpr std::string_view kFirstLine = "huddle step 1";

// As Slurm writes steps; it becomes a file's name.
bool is_step_name(std::string_view name) {
  constexpr std::size_t kMostLetters = 20;
  return !name.empty() && name.size() <= kMostLetters &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_+") == std::string_view::npos;
}

std::string name_of_file(const power::StepId& step) {
  return fmt::format("{}.{}", step.job, step.step);
}

void make_directory(const fs::path& directory, mode_t mode) {
  if (::mkdir(directory.c_str(), mode) != 0 && errno != EEXIST)
    throw SystemError("make the directory", directory.string(), errno);
}

bool is_trusted(const fs::path& directory) {
  struct stat status {};
  return ::lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         (status.st_uid == 0 || status.st_uid == ::geteuid()) &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// An earlier version of Huddle let everybody read the announcements.
void close_to_others(const fs::path& directory) {
  struct stat status {};
  if (::lstat(directory.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
      (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    ::chmod(directory.c_str(), S_IRWXU);
}

}  // namespace

std::string text_of(const StepNotice& notice) {
  return fmt::format("{}\njob {}\nstep {}\nuser {}\npus {}\nslurmstepd {} {}\nend\n", kFirstLine,
                     notice.id.job, notice.id.step, notice.place.user, notice.place.pus.list(),
                     notice.slurmstepd.pid, notice.slurmstepd.started);
}

StepNotice parse_step_notice(std::string_view text, std::string_view source) {
  FieldReader lines(text, source);
  StepNotice notice;
  lines.next_line();
  if (lines.line() != kFirstLine) lines.refuse(kFirstLine);
  notice.id.job = lines.number_of<std::uint32_t>("job");
  lines.next_line("step");
  notice.id.step = lines.rest();
  if (!is_step_name(notice.id.step)) lines.refuse("the name of a step");
  notice.place.user = lines.number_of<std::uint32_t>("user");
  lines.next_line("pus");
  notice.place.pus = PuSet::parse(lines.rest());
  lines.next_line("slurmstepd");
  notice.slurmstepd.pid = lines.number<std::uint32_t>();
  notice.slurmstepd.started = lines.number<std::uint64_t>();
  lines.end_of_line();
  lines.next_line("end");
  lines.end();
  return notice;
}

void announce(const StepNotice& notice, const fs::path& directory) {
  if (!is_step_name(notice.id.step))
    throw Error(fmt::format("\"{}\" is no name of a step", shortened(notice.id.step)));
  make_directory(directory.parent_path(), S_IRWXU | S_IXGRP | S_IXOTH);
  make_directory(directory, S_IRWXU);
  if (!is_trusted(directory))
    throw Error(
        fmt::format("{} belongs to somebody else, or others may write to it", directory.string()));
  close_to_others(directory);
  files::AtomicFile file(directory / name_of_file(notice.id), S_IRUSR | S_IWUSR);
  file.write(text_of(notice));
  file.commit_soon();
}

void withdraw(const power::StepId& step, const fs::path& directory) noexcept {
  try {
    ::unlink((directory / name_of_file(step)).c_str());
  } catch (...) {  // no memory for the name
  }
}

void withdraw_job(std::uint32_t job, const fs::path& directory) noexcept {
  try {
    const std::string begin = fmt::format("{}.", job);
    for (const std::string& name : files::names_in(directory))
      if (name.starts_with(begin)) ::unlink((directory / name).c_str());
  } catch (...) {  // no memory for the names
  }
}

std::vector<StepNotice> announced_steps(const fs::path& directory,
                                        bool (*alive)(const processes::ProcessIdentity&)) {
  std::vector<StepNotice> steps;
  if (!is_trusted(directory)) return steps;
  for (const std::string& name : files::names_in(directory)) {
    try {
      const fs::path file = directory / name;
      StepNotice notice =
          parse_step_notice(files::read_file(file, kMostNoticeBytes), file.string());
      if (name == name_of_file(notice.id) && alive(notice.slurmstepd))
        steps.push_back(std::move(notice));
    } catch (const Error&) {  // just withdrawn, or none of ours
    }
  }
  std::sort(steps.begin(), steps.end(),
            [](const StepNotice& a, const StepNotice& b) { return a.id < b.id; });
  return steps;
}

}  // namespace huddle::energyd

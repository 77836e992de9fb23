#include "profiles/recorder/process/destination.hpp"

#include <fmt/format.h>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/problem_size.hpp"

namespace huddle::recorder {
namespace {

// SLURM_BATCH_SCRIPT of slurm.h.
constexpr std::uint32_t kBatchStep = 0xfffffffbU;

std::filesystem::path absolute(std::string_view text) {
  std::error_code no_directory;
  const std::filesystem::path path = std::filesystem::absolute(text, no_directory);
  return no_directory ? std::filesystem::path(text) : path;
}

}  // namespace

Job Job::from(const Environment& environment) {
  Job job;
  job.id = number_of<std::uint64_t>(environment, "SLURM_JOB_ID").value_or(0);
  if (job.id != 0)
    job.step = number_of<std::uint32_t>(environment, "SLURM_STEP_ID").value_or(kBatchStep);
  return job;
}

std::string RunIdentity::name() const {
  if (job.id == 0) return fmt::format("pid{}", process);
  if (job.step == kBatchStep) return fmt::format("{}.batch-pid{}", job.id, process);
  return fmt::format("{}.{}-pid{}", job.id, job.step, process);
}

std::optional<Destination> Destination::from(const Environment& environment,
                                             std::string_view program) {
  const std::string_view file = text_of(environment, "HUDDLE_PROFILE");
  const std::string_view store = text_of(environment, "HUDDLE_STORE");
  if (file.empty() && store.empty()) return std::nullopt;
  Destination destination;
  if (!file.empty())
    destination.file_ = absolute(file);
  else
    destination.store_ = absolute(store);
  destination.make_store_ = text_of(environment, "HUDDLE_STORE_CREATE") == "1";
  destination.label_ = text_of(environment, "HUDDLE_LABEL");
  if (destination.label_.empty())
    destination.label_ = std::filesystem::path(program).filename().string();
  const std::string_view size = text_of(environment, "HUDDLE_SIZE");
  destination.problem_size_ = parse_problem_size(size);
  if (!size.empty() && !destination.problem_size_)
    destination.why_no_size_ =
        fmt::format("The problem size is unknown: HUDDLE_SIZE is \"{}\", not {}.", shortened(size),
                    kProblemSizes);
  return destination;
}

Encoding Destination::encoding(std::uint32_t ranks) const {
  if (file_.empty()) return encoding_for(ranks);
  return file_.extension() == ".cbor" ? Encoding::kCbor : Encoding::kJson;
}

std::filesystem::path Destination::path(const std::string& user, std::uint32_t ranks,
                                        const RunIdentity& run,
                                        std::chrono::system_clock::time_point when) const {
  if (!file_.empty()) return file_;
  const auto folder = Store(store_).make_folder({user, label_, ranks}, make_store_);
  return folder / Store::profile_name(run.name(), extension_of(encoding(ranks)), when);
}

std::filesystem::path Destination::landmark(const std::string& user) const {
  if (!file_.empty()) return file_;
  return Store(store_).folder({user, label_, 0}).parent_path();
}

// The whole way to the profile's folder: it will be needed, and what is wrong with it is said now.
void Destination::make_landmark(const std::string& user, std::uint32_t ranks) const {
  if (file_.empty()) Store(store_).make_folder({user, label_, ranks}, make_store_);
}

}  // namespace huddle::recorder

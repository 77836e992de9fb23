#include "aggregator/planning/plan_names.hpp"

#include <fmt/format.h>

#include <string>

#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/hash.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostMachineBytes = std::uint64_t{64} << 20U;

// A file that may be large stands for what is in it.
std::string identity_of_file(const fs::path& file) {
  if (file.empty()) return {};
  std::error_code failure;
  const auto size = fs::file_size(file, failure);
  if (failure) throw SystemError("read", file.string(), failure.value());
  const auto written = fs::last_write_time(file, failure).time_since_epoch().count();
  return fmt::format("{} {} {}", fs::absolute(file).string(), size, written);
}

std::string identity_of_limits(const JobQuestion& question) {
  std::string identity = fmt::format(
      "{} {} {} {} {} {} {} {}", question.cores_per_rank, question.nodes.value_or(0),
      question.least_nodes, question.slowdown, static_cast<int>(question.objective),
      static_cast<int>(question.grouping), static_cast<int>(question.risk), question.every_pattern);
  if (question.frequencies)
    identity += fmt::format(" {} {}", question.frequencies->lowest.value,
                            question.frequencies->highest.value);
  if (question.size) identity += fmt::format(" size {}", *question.size);
  return identity;
}

}  // namespace

fs::path plan_path(const Store& store, const JobQuestion& question,
                   const std::vector<fs::path>& profiles) {
  std::string identity =
      fmt::format("{}\n{}\n{}\n{}\n", HUDDLE_VERSION, identity_of_limits(question),
                  read_file(question.machine, kMostMachineBytes), identity_of_file(question.model));
  // Those of the store are never changed, so their names are enough.
  for (const fs::path& path : profiles)
    identity +=
        (question.profiles.empty() ? path.filename().string() : identity_of_file(path)) + '\n';
  return store.folder(question.key) / fmt::format("plan-{:016x}.json", hash_of(identity));
}

fs::path sample_path(const Store& store, const JobQuestion& question, const fs::path& profile) {
  return store.folder(question.key) /
         fmt::format("sample-{:016x}.json", hash_of(profile.filename().string()));
}

}  // namespace huddle

#include "aggregator/operations/doctor/profile_directory_check.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>

#include "profiles/store/store.hpp"

namespace huddle::doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSharedAdvice =
    "profiles.directory in huddle.toml must be on a file system that login and compute nodes share";

bool in_home(const Policy& policy) {
  return policy.profiles_directory.starts_with("~/");
}

std::string unique_name() {
  std::random_device random;
  return fmt::format(".huddle-doctor-{:08x}{:08x}", random(), random());
}

// 0, or the errno value that making it failed with.
int make_empty_file(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) return errno;
  ::close(descriptor);
  return 0;
}

Finding not_writable(const Policy& policy, int error) {
  return {"profiles",
          Verdict::kWrong,
          fmt::format("can't write to the profile directory {}: {}", policy.profiles_directory,
                      std::generic_category().message(error)),
          in_home(policy)
              ? "homes must be writable on nodes, or set profiles.directory in huddle.toml"
              : fmt::format("as root: chmod 1777 {}", policy.profiles_directory),
          {}};
}

}  // namespace

fs::path place_for_probes(const Policy& policy) {
  const fs::path directory = expand_home(policy.profiles_directory, current_home());
  std::error_code failure;
  if (in_home(policy) && !fs::exists(directory, failure)) return current_home();
  return directory;
}

Finding check_profile_directory(const Policy& policy, const std::string& probe,
                                const std::string& node) {
  const fs::path place = place_for_probes(policy);
  struct stat facts {};
  if (::stat(place.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode))
    return {"profiles",
            Verdict::kWrong,
            fmt::format("the profile directory {} does not exist", place.string()),
            in_home(policy)
                ? "the home must exist on nodes, too, or set profiles.directory in huddle.toml"
                : fmt::format("as root: install -d -m 1777 {}; {}", place.string(), kSharedAdvice),
            {}};
  std::error_code failure;
  if (!probe.empty() && !fs::exists(place / probe, failure))
    return {"profiles",
            Verdict::kWrong,
            fmt::format("{} is not the directory of that name where jobs are submitted",
                        place.string()),
            kSharedAdvice,
            {}};
  const fs::path own = place / fmt::format("{}-{}", unique_name(), node);
  if (const int error = make_empty_file(own); error != 0) return not_writable(policy, error);
  ::unlink(own.c_str());
  constexpr mode_t kForAll = S_IRWXO | S_ISVTX;
  if (!in_home(policy) && (facts.st_mode & kForAll) != kForAll)
    return {"profiles",
            Verdict::kWarning,
            fmt::format("the profile directory {} has mode {:04o}: other users may not be able to "
                        "use it, or may remove each other's folders",
                        place.string(), facts.st_mode & 07777U),
            fmt::format("as root: chmod 1777 {}", place.string()),
            {}};
  return {"profiles",
          Verdict::kOk,
          fmt::format("{} can be written to", policy.profiles_directory),
          "",
          {}};
}

Probe::Probe(const Policy& policy) : file_(place_for_probes(policy) / unique_name()) {
  if (make_empty_file(file_) != 0) file_.clear();
}

Probe::~Probe() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

}  // namespace huddle::doctor

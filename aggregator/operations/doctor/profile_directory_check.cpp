#include "aggregator/operations/doctor/profile_directory_check.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "profiles/processes/without_root.hpp"
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

// The same, with no more rights than a user has where `as_user`: a site's directory is for users.
int try_to_write(const fs::path& file, bool as_user) {
  const auto make_and_remove = [&] {
    const int error = make_empty_file(file);
    if (error == 0) ::unlink(file.c_str());
    return error;
  };
  if (!as_user) return make_and_remove();
  constexpr std::chrono::seconds kPatience{10};
  const auto error =
      processes::without_root([&] { return std::to_string(make_and_remove()); }, kPatience);
  return error ? std::stoi(*error) : ETIMEDOUT;
}

Finding not_writable(const Policy& policy, int error) {
  return wrong("profiles",
               fmt::format("can't write to the profile directory {}: {}", policy.profiles_directory,
                           std::generic_category().message(error)),
               in_home(policy)
                   ? "homes must be writable on nodes, or set profiles.directory in huddle.toml"
                   : fmt::format("as root: chmod 1777 {}", policy.profiles_directory));
}

}  // namespace

fs::path place_for_probes(const Policy& policy) {
  const fs::path directory = store::expand_home(policy.profiles_directory, store::current_home());
  std::error_code failure;
  if (in_home(policy) && !fs::exists(directory, failure)) return store::current_home();
  return directory;
}

Finding check_profile_directory(const Policy& policy, const std::string& probe,
                                const std::string& node) {
  const fs::path place = place_for_probes(policy);
  struct stat facts {};
  if (::stat(place.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode))
    return wrong(
        "profiles", fmt::format("the profile directory {} does not exist", place.string()),
        in_home(policy)
            ? "the home must exist on nodes, too, or set profiles.directory in huddle.toml"
            : fmt::format("as root: install -d -m 1777 {}; {}", place.string(), kSharedAdvice));
  std::error_code failure;
  if (!probe.empty() && !fs::exists(place / probe, failure))
    return wrong("profiles",
                 fmt::format("{} is not the directory of that name where jobs are submitted",
                             place.string()),
                 kSharedAdvice);
  const fs::path own = place / fmt::format("{}-{}", unique_name(), node);
  if (const int error = try_to_write(own, !in_home(policy)); error != 0)
    return not_writable(policy, error);
  constexpr mode_t kForAll = S_IRWXO | S_ISVTX;
  if (!in_home(policy) && (facts.st_mode & kForAll) != kForAll)
    return warning(
        "profiles",
        fmt::format("the profile directory {} has mode {:04o}: other users may not be able to "
                    "use it, or may remove each other's folders",
                    place.string(), facts.st_mode & 07777U),
        fmt::format("as root: chmod 1777 {}", place.string()));
  return ok("profiles", fmt::format("{} can be written to", policy.profiles_directory));
}

std::optional<Finding> check_owners_of_folders(const Policy& policy) {
  constexpr int kMost = 10'000;
  constexpr std::size_t kMostNamed = 5;
  if (in_home(policy)) return std::nullopt;
  std::vector<std::string> others;
  int looked_at = 0;
  std::error_code failure;
  for (fs::directory_iterator it(policy.profiles_directory, failure), end;
       !failure && it != end && looked_at < kMost; it.increment(failure), ++looked_at) {
    const std::string name = it->path().filename().string();
    struct stat facts {};
    const passwd* user = ::getpwnam(name.c_str());
    if (user != nullptr && ::lstat(it->path().c_str(), &facts) == 0 &&
        (!S_ISDIR(facts.st_mode) || facts.st_uid != user->pw_uid))
      others.push_back(name);
  }
  if (others.empty()) return std::nullopt;
  std::sort(others.begin(), others.end());
  const std::size_t count = others.size();
  others.resize(std::min(count, kMostNamed));
  return warning("profiles",
                 fmt::format("in {}, {} of users' names {} not their directories: {}{}",
                             policy.profiles_directory, count, count == 1 ? "is" : "are",
                             fmt::join(others, ", "), count > kMostNamed ? ", ..." : ""),
                 "as root, look at what they hold and remove them; these users' profiles are in "
                 "folders named NAME~UID meanwhile");
}

Probe::Probe(const Policy& policy) : file_(place_for_probes(policy) / unique_name()) {
  if (make_empty_file(file_) != 0) file_.clear();
}

Probe::~Probe() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

}  // namespace huddle::doctor

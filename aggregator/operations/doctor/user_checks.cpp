#include "aggregator/operations/doctor/user_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

#include "aggregator/operations/doctor/site_file_checks.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/processes/planner_process.hpp"
#include "profiles/processes/separate_process.hpp"
#include "profiles/processes/without_root.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::seconds kMorePatience{15};  // for what waits so long itself

const char* tried_as() {
  return ::geteuid() == 0 ? " (tried as nobody)" : "";
}

// No job has such a name.
PlanRequest made_up_request(const Policy& policy) {
  PlanRequest request;
  request.user = store::current_user();
  request.label = "~huddle-doctor";
  request.ranks = 2;
  request.store = store::expand_home(policy.profiles_directory, store::current_home());
  request.make_store = policy.profiles_directory.starts_with("~/");
  request.dry_run = true;
  return request;
}

// The reason why submissions go on without a plan; empty if there is none.
std::string why_no_answer(const Policy& policy) {
  try {
    const auto answer = processes::without_root(
        [&] {
          return processes::output_of_planner(policy.huddle, {"--request=-", "--json"},
                                              to_json(made_up_request(policy)), kPatience);
        },
        kMorePatience);
    if (!answer) return fmt::format("{} plan did not end", policy.huddle);
    static_cast<void>(parse_decision(*answer, fmt::format("what {} plan printed", policy.huddle)));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

Finding check_planner(const Policy& policy) {
  std::string why = why_root_must_not(policy.huddle);
  if (why.empty()) {
    why = why_no_answer(policy);
    if (!why.empty()) why += tried_as();
  }
  if (why.empty()) return ok("planner", fmt::format("{} plan answers users", policy.huddle));
  return wrong(
      "planner", fmt::format("{}: every job is left as submitted", why),
      "install huddle on this machine where users can run it, or name the command as huddle in "
      "[programs] of huddle.toml");
}

namespace {

struct ReadFile {
  std::string check;
  std::string file;
};

}  // namespace

std::vector<Finding> check_what_users_read(const Policy& policy, const fs::path& policy_file) {
  std::vector<Finding> findings;
  if (::geteuid() != 0) return findings;
  for (const auto& [check, file] :
       {ReadFile{"policy", policy_file.string()}, ReadFile{"machine", policy.machine_file},
        ReadFile{"model", policy.model_file}, ReadFile{"mpirun", policy.mpirun_helper}}) {
    if (file.empty() || ::access(file.c_str(), R_OK) != 0) continue;
    const auto why = processes::without_root(
        [&file = file] {
          if (::access(file.c_str(), R_OK) == 0) return std::string();
          return std::generic_category().message(errno);
        },
        kPatience);
    if (why && why->empty()) continue;
    findings.push_back(
        wrong(check,
              fmt::format("users can't read {}: {}{}", file,
                          why ? *why : "the file system does not answer", tried_as()),
              fmt::format("chmod a+r {}, and let all pass through the folders on the way "
                          "(a+x)",
                          file)));
  }
  return findings;
}

namespace {

constexpr int kMostFolders = 10'000;

/// Looks for what a user can't write to in one's own part of a store.
class ForeignFolders {
 public:
  // `part` and what is in it, down to the folders that files are in.
  void look_into(const fs::path& part, uid_t user, int depth = 2) {
    struct stat status {};
    if (looked_at_++ >= kMostFolders || ::lstat(part.c_str(), &status) != 0) return;
    if (status.st_uid != user) return found_.push_back(part.string());
    if (!S_ISDIR(status.st_mode) || depth == 0) return;
    std::error_code failure;
    for (fs::directory_iterator it(part, failure), end; !failure && it != end;
         it.increment(failure)) {
      std::error_code unknown;
      if (it->symlink_status(unknown).type() == fs::file_type::directory)
        look_into(it->path(), user, depth - 1);
    }
  }

  [[nodiscard]] std::string text() const {
    std::string lines;
    for (const std::string& path : found_) lines += path + '\n';
    return lines;
  }

 private:
  int looked_at_ = 0;
  std::vector<std::string> found_;
};

// Only this machine's own: to look at a home of others may mount it. Users of the system may have
// another one's home.
void look_into_homes(ForeignFolders& folders, const Policy& policy) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> users(std::fopen("/etc/passwd", "re"),
                                                              &std::fclose);
  if (users == nullptr) return;
  while (const passwd* user = ::fgetpwent(users.get()))
    if (struct stat home{}; ::stat(user->pw_dir, &home) == 0 && home.st_uid == user->pw_uid)
      folders.look_into(store::expand_home(policy.profiles_directory, user->pw_dir), user->pw_uid,
                        3);
}

std::string foreign_folders(const Policy& policy) {
  ForeignFolders folders;
  const bool in_homes = policy.profiles_directory.starts_with("~/");
  const store::Store store(store::expand_home(policy.profiles_directory, store::current_home()));
  if (::geteuid() != 0) {
    if (in_homes) folders.look_into(store.root(), ::geteuid(), 0);
    folders.look_into(store.part_of(store::current_user()), ::geteuid());
  } else if (in_homes) {
    look_into_homes(folders, policy);
  } else {
    for (const std::string& name : store.users().names)
      if (const passwd* user = ::getpwnam(name.c_str()))  // NOLINT(concurrency-mt-unsafe)
        folders.look_into(store.part_of(name), user->pw_uid);
  }
  return folders.text();
}

}  // namespace

std::optional<Finding> check_folders_of_users(const Policy& policy) {
  constexpr std::size_t kMostNamed = 5;
  std::optional<std::string> text;
  try {
    text = processes::in_separate_process([&] { return foreign_folders(policy); }, kPatience);
  } catch (const Error&) {  // no directory: that is another check's
    return std::nullopt;
  }
  if (text && text->empty()) return std::nullopt;
  if (!text)
    return warning(
        "profiles",
        fmt::format("{} does not answer within {} s", policy.profiles_directory, kPatience.count()),
        "see its file system");
  std::vector<std::string> paths;
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = text->find('\n', begin);
    paths.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  std::sort(paths.begin(), paths.end());
  const std::size_t count = paths.size();
  paths.resize(std::min(count, kMostNamed));
  return wrong(
      "profiles",
      fmt::format(
          "{} folder(s) in users' parts of the store belong to others, so their users' jobs "
          "are neither measured nor planned: {}{}",
          count, fmt::join(paths, ", "), count > kMostNamed ? ", ..." : ""),
      "as root: chown -Rh USER FOLDER");
}

}  // namespace huddle::doctor

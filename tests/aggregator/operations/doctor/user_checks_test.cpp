#include "aggregator/operations/doctor/user_checks.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "profiles/formats/plan/decision.hpp"
#include "profiles/store/store.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::doctor {
namespace {

namespace fs = std::filesystem;

// A policy whose command prints `answer` and ends with `status`.
Policy with_planner(const store::TemporaryDirectory& folder, const std::string& answer,
                    int status) {
  ::chmod(folder.path().c_str(), 0755);
  Policy policy = Policy::defaults();
  policy.huddle = (folder.path() / "huddle").string();
  policy.profiles_directory = (folder.path() / "profiles").string();
  std::ofstream(policy.huddle) << "#!/bin/sh\ncat <<'END'\n"
                               << answer << "\nEND\nexit " << status << "\n";
  ::chmod(policy.huddle.c_str(), 0755);
  return policy;
}

TEST_CASE("a command that makes plans is right if it answers users as the plugin asks it") {
  const store::TemporaryDirectory folder;
  CHECK(check_planner(with_planner(folder, to_json(Decision{}), 0)).verdict == Verdict::kOk);
  const Finding failing = check_planner(with_planner(folder, to_json(Decision{}), 3));
  CHECK(failing.verdict == Verdict::kWrong);
  CHECK(failing.what.find("failed with status 3") != std::string::npos);
  CHECK(check_planner(with_planner(folder, "hello", 0)).verdict == Verdict::kWrong);
  Policy missing = with_planner(folder, "", 0);
  missing.huddle += "-missing";
  CHECK(check_planner(missing).what.find("No such file or directory") != std::string::npos);
  const Policy closed = with_planner(folder, to_json(Decision{}), 0);
  ::chmod(closed.huddle.c_str(), 0600);
  CHECK(check_planner(closed).what.find("Permission denied") != std::string::npos);
}

TEST_CASE("root does not run a command that others could have written") {
  if (::geteuid() != 0) return;
  const store::TemporaryDirectory folder;
  const Policy policy = with_planner(folder, to_json(Decision{}), 0);
  const fs::path trace = folder.path() / "trace";
  std::ofstream(policy.huddle) << "#!/bin/sh\n: >" << trace.string() << "\n";
  ::chmod(folder.path().c_str(), 0777);
  CHECK(check_planner(policy).what.find("has mode 777") != std::string::npos);
  CHECK_FALSE(fs::exists(trace));
}

TEST_CASE("folders of others in a user's part of the store are found, down to those of ranks") {
  if (::geteuid() != 0) return;  // only root can give them away
  const store::TemporaryDirectory folder;
  Policy policy = Policy::defaults();
  policy.profiles_directory = folder.path().string();
  const fs::path part = folder.path() / store::current_user();
  fs::create_directories(part / "pairs" / "8");
  fs::create_directories(part / "other" / "16");
  CHECK_FALSE(check_folders_of_users(policy));
  const fs::path deep = part / "pairs" / "8";
  REQUIRE(::chown(deep.c_str(), 65534, 65534) == 0);
  const auto finding = check_folders_of_users(policy);
  REQUIRE(finding);
  CHECK(finding->verdict == Verdict::kWrong);
  CHECK(finding->what.ends_with(": " + deep.string()));
  policy.profiles_directory = (folder.path() / "none").string();
  CHECK_FALSE(check_folders_of_users(policy));
}

TEST_CASE("what root can read and users can't is said") {
  if (::geteuid() != 0) return;
  const store::TemporaryDirectory folder;
  ::chmod(folder.path().c_str(), 0755);
  const fs::path file = folder.path() / "huddle.toml";
  std::ofstream(file) << "\n";
  ::chmod(file.c_str(), 0644);
  Policy policy = Policy::defaults();
  policy.mpirun_helper.clear();
  CHECK(check_what_users_read(policy, file).empty());
  ::chmod(file.c_str(), 0600);
  const auto findings = check_what_users_read(policy, file);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].check == "policy");
  CHECK(findings[0].what.find("Permission denied") != std::string::npos);
}

}  // namespace
}  // namespace huddle::doctor

#include "profiles/formats/policy/site_switch.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

TEST_CASE("the stop file in /etc/slurm counts wherever the policy is, as does the one beside it") {
  const fs::path usual = "/etc/slurm/huddle.stop";
  CHECK(stop_files("/etc/slurm/huddle.toml") == std::vector<fs::path>{usual});
  CHECK(stop_files("/site/policy.toml") == std::vector<fs::path>{usual, "/site/policy.stop"});
}

TEST_CASE("a stop file, and a policy that says so, switch Huddle off") {
  const store::TemporaryDirectory folder;
  const fs::path file = folder.path() / "huddle.toml";
  Policy policy;
  CHECK(present_stop_file(file).empty());
  CHECK(why_switched_off(policy, file).empty());
  policy.enabled = false;
  CHECK(why_switched_off(policy, file).ends_with(file.string() + " has enabled = false"));
  const fs::path stop = folder.path() / "huddle.stop";
  std::ofstream(stop) << "";
  CHECK(present_stop_file(file) == stop);
  CHECK(why_switched_off(policy, file).ends_with(stop.string() + " exists"));
}

}  // namespace
}  // namespace huddle

#include "spank_plugin/plugin/node/node_frequency.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiles/vocabulary/environment.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"

namespace huddle::plugin {
namespace {

/// slurmstepd on the first node of a job, for a step that asks for lower frequencies. The policy is
/// the test's, which root believes only where the test is root.
struct Node {
  Node() {
    slurm->environment = {{kFrequencyVariable, "1200000-1800000"}};
    slurm->numbers = {{S_JOB_STEPID, 0},
                      {S_JOB_NODEID, 0},
                      {S_JOB_ID, 7},
                      {S_JOB_NCPUS, 0},
                      {S_JOB_LOCAL_TASK_COUNT, 0}};
    slurm->texts = {{S_STEP_ALLOC_CORES, ""}, {S_JOB_ALLOC_CORES, ""}};
  }
  [[nodiscard]] submission::Settings settings(const std::string& policy) const {
    const std::filesystem::path file = directory.path() / "huddle.toml";
    store::put_file(file, policy);
    ::chmod(file.c_str(), 0644);
    std::string argument = "policy=" + file.string();
    char* arguments[] = {argument.data()};
    return {1, arguments};
  }
  [[nodiscard]] std::string allowing(const std::string& more = "") const {
    return "[frequency]\ncontrol = true\njournal = \"" + (directory.path() / "journal").string() +
           "\"\n" + more;
  }
  /// The lines for the user that there are more of than before.
  [[nodiscard]] std::vector<std::string> limit(const std::string& policy) const {
    const std::vector<std::string> before = reported();
    limit_step_frequencies(slurm.handle(), settings(policy));
    std::vector<std::string> now = reported();
    REQUIRE(now.size() >= before.size());
    now.erase(now.begin(), now.begin() + static_cast<std::ptrdiff_t>(before.size()));
    return now;
  }
  [[nodiscard]] std::vector<std::string> reported() const {
    slurm->lines.clear();
    report_frequencies();
    return slurm->lines;
  }

  SlurmForATest slurm;
  store::TemporaryDirectory directory;
};

using Lines = std::vector<std::string>;

// One case, since slurmstepd serves one step, and keeps what it has to report.
TEST_CASE("frequencies are left alone where they must be, and the user gets to know why") {
  if (::geteuid() != 0) return;  // only root can write what root believes
  const Node node;

  // Not requested, or not for this step.
  node.slurm->environment.erase(kFrequencyVariable);
  CHECK(node.limit(node.allowing()).empty());
  node.slurm->environment[kFrequencyVariable] = "";
  CHECK(node.limit(node.allowing()).empty());
  node.slurm->environment[kFrequencyVariable] = "nonsense";
  node.slurm->numbers[S_JOB_STEPID] = SLURM_EXTERN_CONT;
  CHECK(node.limit(node.allowing()).empty());
  node.slurm->numbers[S_JOB_STEPID] = 0;

  // One node informs the user of a reason that holds for all of them.
  node.slurm->numbers[S_JOB_NODEID] = 1;
  CHECK(node.limit("").empty());
  node.slurm->numbers[S_JOB_NODEID] = 0;
  CHECK(node.limit("") ==
        Lines{"huddle: frequencies are left alone: the site does not allow it (frequency.control "
              "in huddle.toml)"});
  node.slurm->environment["SLURM_CPU_FREQ_REQ"] = "2000000";
  CHECK(node.limit(node.allowing()) ==
        Lines{"huddle: frequencies are left alone: you set them yourself (--cpu-freq)"});
  node.slurm->environment.erase("SLURM_CPU_FREQ_REQ");

  // A fault of this node alone is reported with the node's name, and is in slurmd's log.
  node.slurm->logged.clear();
  const Lines wrong = node.limit(node.allowing());
  REQUIRE(wrong.size() == 1);
  CHECK(wrong[0].find(": frequencies are left alone: ") != std::string::npos);
  REQUIRE(node.slurm->logged.size() == 1);
  CHECK(node.slurm->logged[0].find("slurmd") != std::string::npos);  // none runs here

  // A fourth line and more are counted only.
  node.slurm->environment[kFrequencyVariable] = "1200000-1800000";
  node.slurm->logged.clear();
  CHECK(node.limit(node.allowing()) ==
        Lines{"huddle: and 1 more lines about frequencies in slurmd's log"});
  REQUIRE(node.slurm->logged.size() == 1);

  // A step that has no core here needs nothing, and leaves nothing.
  node.slurm->numbers[S_JOB_NCPUS] = 0;
  CHECK(node.limit(node.allowing()).empty());
  CHECK_FALSE(std::filesystem::exists(node.directory.path() / "journal"));
  release_step_frequencies();
}

TEST_CASE("the epilog of a job that set nothing puts nothing back") {
  if (::geteuid() != 0) return;
  const Node node;
  release_job_frequencies(node.slurm.handle(), node.settings(node.allowing()));
  release_dead_frequencies(node.settings(node.allowing()));
  CHECK(node.slurm->logged.empty());
  node.slurm->numbers.erase(S_JOB_ID);
  CHECK_THROWS_AS(release_job_frequencies(node.slurm.handle(), node.settings(node.allowing())),
                  Error);
}

}  // namespace
}  // namespace huddle::plugin

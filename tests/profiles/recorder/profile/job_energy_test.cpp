#include "profiles/recorder/profile/job_energy.hpp"

#include <doctest/doctest.h>
#include <time.h>

#include <thread>

#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {
namespace {

Seconds boot_time() {
  timespec time{};
  ::clock_gettime(CLOCK_BOOTTIME, &time);
  return {static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9};
}

// A daemon that answers what a test says.
struct Daemon {
  energyd::EnergyAnswer answer;
  bool away = false;
  Seconds late{0};

  JobEnergy::Ask ask() {
    return [this] {
      if (away) throw SystemError("ask", "socket", ENOENT);
      energyd::EnergyAnswer now = answer;
      now.as_of = boot_time() - late;
      return now;
    };
  }
  power::EnergyShare& share(const char* step, const char* sensor) {
    for (energyd::AnsweredStep& one : answer.steps)
      if (one.id.step == step) {
        for (auto& [name, share] : one.shares)
          if (name == sensor) return share;
        return one.shares.emplace_back(sensor, power::EnergyShare{}).second;
      }
    answer.steps.push_back({{17, step}, 1000, true, {}});
    return share(step, sensor);
  }
};

Job job_17() {
  return {17, 0};
}

void pass_time() {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

TEST_CASE("the energy of a run is what its step took in between, by sensor") {
  Daemon daemon;
  daemon.share("0", "package-0").measured = {100};
  daemon.share("batch", "package-0").measured = {900};
  const auto energy = JobEnergy::begin(job_17(), daemon.ask());
  REQUIRE(energy);
  pass_time();
  daemon.share("0", "package-0").measured = {140};
  daemon.share("0", "package-1").attributed = {5};
  daemon.share("batch", "package-0").measured = {950};
  const JobEnergy::Result result = energy->result();
  CHECK(result.why_not.empty());
  REQUIRE(result.readings.size() == 2);
  CHECK(result.readings[0] == EnergyReading{"package-0", {40}, EnergyOrigin::kMeasured});
  CHECK(result.readings[1] == EnergyReading{"package-1", {5}, EnergyOrigin::kAttributed});
}

TEST_CASE("what the job's script started has the energy of the job") {
  Daemon daemon;
  daemon.share("batch", "node").measured = {100};
  const auto energy = JobEnergy::begin({17, 0xfffffffb}, daemon.ask());
  REQUIRE(energy);
  pass_time();
  daemon.share("batch", "node").measured = {130};
  CHECK(energy->result().readings ==
        std::vector<EnergyReading>{{"node", {30}, EnergyOrigin::kMeasured}});
}

TEST_CASE("without a job, without a daemon, and where it refuses there is no energy of the job") {
  Daemon daemon;
  daemon.share("0", "node");
  CHECK_FALSE(JobEnergy::begin({0, 0}, daemon.ask()));
  daemon.answer.refusal = "not yours";
  CHECK_FALSE(JobEnergy::begin(job_17(), daemon.ask()));
  daemon.away = true;
  CHECK_FALSE(JobEnergy::begin(job_17(), daemon.ask()));
}

TEST_CASE("what a step took that began some time after the first answer is not told") {
  Daemon daemon;
  daemon.late = {0.04};  // that answer was given to somebody before, when there was no such step
  const auto energy = JobEnergy::begin(job_17(), daemon.ask());
  REQUIRE(energy);
  pass_time();
  daemon.share("0", "node").measured = {100};
  const JobEnergy::Result result =
      energy->result();  // both answers are late: they are as far apart
  CHECK(result.readings.empty());
  CHECK(result.why_not.find("at most once a second") != std::string::npos);
}

TEST_CASE("what is not known of the run is not told, with the reason") {
  Daemon daemon;
  daemon.share("0", "node").measured = {100};
  const auto energy = JobEnergy::begin(job_17(), daemon.ask());
  REQUIRE(energy);
  const auto refuses = [&](const char* words) {
    const JobEnergy::Result result = energy->result();
    CHECK(result.readings.empty());
    CHECK(result.why_not.find(words) != std::string::npos);
  };
  pass_time();
  daemon.late = {0.04};  // an answer from before
  refuses("at most once a second");
  daemon.late = {0};
  daemon.share("0", "node").lost = {2};
  refuses("huddle-energyd lost node");
  daemon.share("0", "node") = {};
  refuses("has forgotten the job");
  daemon.away = true;
  refuses("socket");
}

}  // namespace
}  // namespace huddle::recorder

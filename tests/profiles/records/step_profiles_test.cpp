#include "profiles/records/step_profiles.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "profiles/store/store.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle::records {
namespace {

constexpr std::chrono::seconds kSecond{1};

Outcome record_of_step() {
  Outcome record;
  record.user = "anna";
  record.label = "halo";
  record.ranks = 16;
  record.treatment = Treatment::kMeasured;
  record.reason = "this run is measured";
  OutcomeRun& run = record.run.emplace();
  run.cluster = "site";
  run.job = 17;
  run.step = 3;
  run.nodes = 8;
  run.start = utc_now();
  return record;
}

std::string put_profile(const store::TemporaryDirectory& folder, const Outcome& record,
                        const std::string& run, std::string_view prefix, int seconds_later) {
  const auto path =
      folder.path() /
      store::Store::profile_name(run, ".json", record.run->start + seconds_later * kSecond, prefix);
  std::ofstream(path) << "{}";
  return path.string();
}

}  // namespace

TEST_CASE("a step's profile is the newest of its job and step since the step began") {
  const store::TemporaryDirectory folder;
  const Outcome record = record_of_step();
  CHECK(profile_of_step(folder.path(), record).empty());
  put_profile(folder, record, "17.3-pid1", store::Store::kProfilePrefix,
              -5);  // before it was requeued
  put_profile(folder, record, "17.4-pid2", store::Store::kProfilePrefix, 1);
  put_profile(folder, record, "17.3-pid3", store::Store::kPackedProfilePrefix, 1);
  CHECK(profile_of_step(folder.path(), record).empty());
  put_profile(folder, record, "17.3-pid4", store::Store::kProfilePrefix, 1);
  const auto own = put_profile(folder, record, "17.3-pid5", store::Store::kProfilePrefix, 2);
  CHECK(profile_of_step(folder.path(), record) == own);
}

TEST_CASE("a step that srun-aggregate started has the profile of whichever step the recorder saw") {
  const store::TemporaryDirectory folder;
  Outcome record = record_of_step();
  record.run->step.reset();
  const auto of_step = put_profile(folder, record, "17.0-pid1", store::Store::kProfilePrefix, 1);
  CHECK(profile_of_step(folder.path(), record) == of_step);
  const auto of_script =
      put_profile(folder, record, "17.batch-pid1", store::Store::kProfilePrefix, 1);
  CHECK(profile_of_step(folder.path(), record) == of_script);
}

TEST_CASE(
    "the record of a measured step that ended before its profile came has it when it is read") {
  const store::TemporaryDirectory folder;
  Outcome record = record_of_step();
  record.end = {Seconds{2}, 0, {}};
  const auto file = folder.path() / "outcome-1.json";
  std::ofstream(file) << to_json(record);
  CHECK(load_record(file).profile_file.empty());
  std::ofstream(folder.path() / "said-17.3-pid4") << "not measured: it is a trial\n";
  std::ofstream(folder.path() / "said-17.30-pid4") << "of another step\n";
  CHECK(load_record(file).messages == std::vector<std::string>{"not measured: it is a trial"});
  const auto own = put_profile(folder, record, "17.3-pid4", store::Store::kProfilePrefix, 1);
  CHECK(load_record(file).profile_file == own);
  CHECK(load_record(file).messages.empty());
}

}  // namespace huddle::records

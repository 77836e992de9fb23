#include "profiles/energyd/daemon/node_energy.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "profiles/energyd/daemon/energy_metrics.hpp"
#include "profiles/processes/cgroups.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::energyd {
namespace {

namespace fs = std::filesystem;

// A node of two packages with two PUs each, whose meters count what a test says.
class FakeNode {
 public:
  FakeNode() : path_(fs::temp_directory_path() / fmt::format("huddle-energyd-{}", ::getpid())) {
    fs::remove_all(path_);
    write("root/sys/devices/system/cpu/online", "0-3");
    for (int pu = 0; pu < 4; ++pu) {
      const std::string topology = fmt::format("root/sys/devices/system/cpu/cpu{}/topology/", pu);
      write(topology + "physical_package_id", fmt::format("{}", pu / 2));
      write(topology + "core_id", fmt::format("{}", pu % 2));
      write(topology + "thread_siblings_list", fmt::format("{}", pu));
    }
    for (int package = 0; package < 2; ++package) {
      const std::string zone = fmt::format("root/sys/class/powercap/intel-rapl:{}/", package);
      write(zone + "name", fmt::format("package-{}", package));
      write(zone + "max_energy_range_uj", "262143328850");
      count(package, 0);
    }
    fs::create_directories(path_ / "kept");
  }
  ~FakeNode() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    fs::remove_all(path_);
  }
  FakeNode(const FakeNode&) = delete;
  FakeNode& operator=(const FakeNode&) = delete;

  // Appears whole, as in a kernel.
  void write(const std::string& file, const std::string& text) const {
    const fs::path path = path_ / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path.string() + ".new") << text << "\n";
    fs::rename(path.string() + ".new", path);
  }
  void count(int package, double joules) {
    joules_[package] += joules;
    write(fmt::format("root/sys/class/powercap/intel-rapl:{}/energy_uj", package),
          fmt::format("{}", std::llround(joules_[package] * 1e6)));
  }
  [[nodiscard]] NodeEnergyOptions options() const {
    return {path_ / "root", Seconds{30}, path_ / "steps", path_ / "kept"};
  }
  // In place of a slurmstepd with its tasks a shell that waits, or works.
  void begin(std::uint32_t job, const char* step, const char* pus, std::uint32_t user,
             const char* script = "exec sleep 600") {
    std::array<std::string, 3> words = {"sh", "-c", script};
    std::array<char*, 4> arguments = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    pid_t pid = 0;
    REQUIRE(::posix_spawnp(&pid, "sh", nullptr, nullptr, arguments.data(), environ) == 0);
    children_.push_back(pid);
    const auto identity = processes::identity_of(static_cast<std::uint32_t>(pid));
    REQUIRE(identity);
    announce({{job, step}, {user, PuSet::parse(pus)}, *identity}, path_ / "steps");
  }
  void end(std::uint32_t job, const char* step) const { withdraw({job, step}, path_ / "steps"); }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  double joules_[2] = {100, 100};
  std::vector<pid_t> children_;
};

constexpr EnergyReader kRoot{0, true};
constexpr EnergyReader kAnna{1000, false};

// Works as long as it may.
constexpr const char* kWorks = "while :; do :; done";

EnergyRequest job(std::uint32_t number) {
  return {EnergyRequest::About::kJob, number};
}

TEST_CASE("a job that has a package alone gets what the meter counted between its begin and end") {
  FakeNode node;
  NodeEnergy energy(node.options());
  node.count(0, 5);
  node.begin(17, "0", "0-1", 1000);
  energy.observe_steps();
  node.count(0, 41.5);
  node.count(1, 7);
  node.end(17, "0");
  energy.observe_steps();
  const EnergyAnswer answer = energy.answer(job(17), kRoot);
  REQUIRE(answer.steps.size() == 1);
  CHECK_FALSE(answer.steps[0].running);
  CHECK(answer.steps[0].total().measured.value == doctest::Approx(41.5));
  const EnergyAnswer whole = energy.answer({EnergyRequest::About::kNode, 0}, kRoot);
  REQUIRE(whole.sensors.size() == 2);
  CHECK(whole.sensors[0].energy.value == doctest::Approx(46.5));
  CHECK(whole.sensors[0].unattributed.value == doctest::Approx(5));
}

TEST_CASE("a user gets to know of own steps only, and nothing finer than a second") {
  FakeNode node;
  NodeEnergy energy(node.options());
  node.begin(17, "0", "0-1", 1000);
  node.begin(18, "0", "2-3", 1001);
  energy.observe_steps();
  node.count(0, 10);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  const EnergyAnswer first = energy.answer(job(17), kAnna);
  REQUIRE(first.steps.size() == 1);
  CHECK(first.steps[0].total().measured.value == doctest::Approx(10));
  CHECK(energy.answer({EnergyRequest::About::kOwn, 0}, kAnna).steps.size() == 1);
  CHECK(energy.answer(job(18), kAnna).refusal == "no job 18 of yours is known on this node");
  CHECK(energy.answer(job(99), kAnna).refusal == "no job 99 of yours is known on this node");
  CHECK(energy.answer({EnergyRequest::About::kNode, 0}, kAnna).refusal != "");
  // The next value comes a second later, however often it is asked for, also if the step has ended.
  node.count(0, 20);
  node.end(17, "0");
  energy.observe_steps();
  for (int i = 0; i < 5; ++i) {
    const EnergyAnswer soon = energy.answer(job(17), kAnna);
    CHECK(soon.as_of == first.as_of);
    CHECK(soon.steps == first.steps);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const EnergyAnswer later = energy.answer(job(17), kAnna);
  CHECK(later.as_of - first.as_of >= Seconds{1});
  CHECK(later.steps[0].total().measured.value == doctest::Approx(30));
}

TEST_CASE("a step that began within the second is known, and had taken nothing") {
  FakeNode node;
  NodeEnergy energy(node.options());
  node.begin(17, "0", "0-1", 1000);
  energy.observe_steps();
  node.count(0, 10);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const EnergyAnswer first = energy.answer(job(17), kAnna);
  node.end(17, "0");
  node.begin(18, "0", "0-1", 1000);
  energy.observe_steps();
  node.count(0, 20);
  energy.advance();
  const EnergyAnswer answer = energy.answer(job(18), kAnna);
  CHECK(answer.as_of == first.as_of);
  REQUIRE(answer.steps.size() == 1);
  CHECK(answer.steps[0].running);
  CHECK(answer.steps[0].shares.empty());
}

TEST_CASE("what the node takes is as coarse for users whom the site lets know") {
  FakeNode node;
  NodeEnergy energy(node.options());
  const EnergyRequest request{EnergyRequest::About::kNode, 0};
  const EnergyReader reader{1000, true};
  const EnergyAnswer first = energy.answer(request, reader);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  static_cast<void>(energy.answer(request, kRoot));
  CHECK(energy.answer(request, reader).as_of == first.as_of);
}

TEST_CASE("whoever has a step, or had one lately, is served, also by another daemon") {
  FakeNode node;
  {
    NodeEnergy energy(node.options());
    CHECK_FALSE(energy.serves(1000));
    node.begin(17, "0", "0-1", 1000);
    energy.observe_steps();
    CHECK(energy.serves(1000));
    CHECK_FALSE(energy.serves(1001));
    node.end(17, "0");
    energy.observe_steps();
    CHECK(energy.serves(1000));
  }
  CHECK(NodeEnergy(node.options()).serves(1000));
}

TEST_CASE("all steps that ended are kept for another daemon, in however many bytes") {
  FakeNode node;
  std::vector<AnsweredStep> ended;
  for (std::uint32_t job = 0; job < 256; ++job) {
    AnsweredStep& step = ended.emplace_back(AnsweredStep{{job, "0"}, 1000, false, {}});
    for (int sensor = 0; sensor < 20; ++sensor)
      step.shares.emplace_back(fmt::format("package-{}", sensor), power::EnergyShare{});
  }
  const fs::path file = node.path() / "kept/ended";
  save(ended, "this boot", file);
  CHECK(fs::file_size(file) > kMostAnswerBytes);
  CHECK(load_ended_steps(file, "this boot") == ended);
}

TEST_CASE("another daemon goes on where one was killed") {
  FakeNode node;
  {
    NodeEnergy energy(node.options());
    node.begin(17, "0", "0-1", 1000);
    node.begin(16, "0", "2-3", 1000);
    energy.observe_steps();
    node.count(1, 2);
    node.end(16, "0");
    energy.observe_steps();
    node.count(0, 10);
  }  // nothing is saved here
  node.count(0, 11);
  NodeEnergy energy(node.options());
  energy.observe_steps();
  node.count(0, 12);
  node.end(17, "0");
  energy.observe_steps();
  const EnergyAnswer answer = energy.answer({EnergyRequest::About::kOwn, 0}, kRoot);
  REQUIRE(answer.steps.size() == 2);
  CHECK(answer.steps[0].total().measured.value == doctest::Approx(33));
  CHECK(answer.steps[0].total().lost == Seconds{0});
  CHECK(answer.steps[1].total().measured.value == doctest::Approx(2));
}

TEST_CASE("a job that ended while no daemon ran gets nothing of that time, and it is lost") {
  FakeNode node;
  {
    NodeEnergy energy(node.options());
    node.begin(17, "0", "0-1", 1000);
    energy.observe_steps();
    node.count(0, 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    static_cast<void>(energy.answer({EnergyRequest::About::kOwn, 0}, kRoot));
    energy.save();
  }
  node.end(17, "0");
  node.count(0, 1000);
  NodeEnergy energy(node.options());
  energy.observe_steps();
  const EnergyAnswer answer = energy.answer(job(17), kRoot);
  REQUIRE(answer.steps.size() == 1);
  CHECK(answer.steps[0].total().measured.value == doctest::Approx(10));
  CHECK(answer.steps[0].total().lost > Seconds{0});
  CHECK(energy.sensors()[0].unattributed.value == doctest::Approx(1000));
}

TEST_CASE("two jobs that shared a package when a daemon was killed go on sharing it") {
  FakeNode node;
  const auto energy = std::make_unique<NodeEnergy>(node.options());
  node.begin(1, "0", "", 1000, kWorks);
  node.begin(2, "0", "", 1001, kWorks);
  energy->observe_steps();
  energy->advance();
  energy->save();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  node.count(0, 30);
  NodeEnergy later(node.options());
  later.observe_steps();
  double sum = later.sensors()[0].unattributed.value;
  for (const std::uint32_t number : {1U, 2U}) {
    const EnergyAnswer answer = later.answer(job(number), kRoot);
    REQUIRE(answer.steps.size() == 1);
    CHECK(answer.steps[0].total().measured == Joules{0});
    CHECK(answer.steps[0].total().lost == Seconds{0});
    sum += answer.steps[0].total().attributed.value;
  }
  CHECK(sum == doctest::Approx(30));
}

TEST_CASE("of a step that ran before the daemon did, that time is lost") {
  FakeNode node;
  announce({{17, "0"}, {1000, PuSet::parse("0-1")}, *processes::identity_of(1)},
           node.path() / "steps");
  NodeEnergy energy(node.options());
  energy.observe_steps();
  const EnergyAnswer answer = energy.answer(job(17), kRoot);
  REQUIRE(answer.steps.size() == 1);
  REQUIRE(answer.steps[0].shares.size() == 1);
  CHECK(answer.steps[0].shares[0].first == "package-0");
  CHECK(answer.steps[0].total().lost > Seconds{2});
}

TEST_CASE("what is kept of another boot, or broken, is not gone on from") {
  FakeNode node;
  {
    NodeEnergy energy(node.options());
    node.count(0, 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    static_cast<void>(energy.answer({EnergyRequest::About::kOwn, 0}, kRoot));
    energy.save();
  }
  const fs::path file = node.path() / "kept/totals.json";
  CHECK(load_saved_energy(file, processes::boot_id()).accounts.size() == 2);
  CHECK(load_saved_energy(file, "another").accounts.empty());
  std::ofstream(file) << "{";
  CHECK_THROWS_AS(static_cast<void>(load_saved_energy(file, processes::boot_id())), Error);
  NodeEnergy energy(node.options());
  const std::vector<std::string> news = energy.news();
  REQUIRE(news.size() == 1);
  CHECK(news[0].find("all energy is counted from now on") != std::string::npos);
  CHECK(energy.sensors()[0].energy == Joules{0});
}

TEST_CASE("two jobs of one package share it by what their processes used") {
  FakeNode node;
  NodeEnergy energy(node.options());
  node.begin(1, "0", "", 1000, kWorks);
  node.begin(2, "0", "", 1001);
  energy.observe_steps();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  node.count(0, 10);
  node.count(1, 10);
  node.end(1, "0");
  node.end(2, "0");
  energy.observe_steps();
  double sum = energy.sensors()[0].unattributed.value + energy.sensors()[1].unattributed.value;
  std::map<std::uint32_t, double> attributed;
  for (const AnsweredStep& step : energy.answer({EnergyRequest::About::kOwn, 0}, kRoot).steps) {
    CHECK(step.total().measured == Joules{0});
    attributed[step.id.job] = step.total().attributed.value;
    sum += step.total().attributed.value;
  }
  CHECK(sum == doctest::Approx(20));
  CHECK(attributed[1] > 5);  // this machine has PU 0 or 1, which are of the first package
  CHECK(attributed[2] == doctest::Approx(0));
}

// Below the trial's root, where the machine has its hierarchy of version 2.
TEST_CASE("a job whose number nobody tells is named once, in the log") {
  FakeNode node;
  const auto second = processes::Cgroups().top_of("");
  if (!second) return;
  const std::string scope =
      "root" + second->string() + "/hpc.slice/slurmstepd.scope/sEKNKTV3WPV500/";
  node.write(scope + "step_0/user/task_0/cgroup.procs", fmt::format("{}", ::getpid()));
  NodeEnergy energy(node.options());
  energy.observe_steps();
  CHECK(energy.running() == 0);
  const std::vector<std::string> news = energy.news();
  REQUIRE(news.size() == 1);
  CHECK(news[0].find("sEKNKTV3WPV500 is of a job whose number nobody tells") != std::string::npos);
  energy.observe_steps();
  CHECK(energy.news().empty());

  node.write(
      "root" + second->string() + "/hpc.slice/slurmstepd.scope/job_17/step_0/user/cgroup.procs",
      fmt::format("{}", ::getpid()));
  energy.observe_steps();
  CHECK(energy.running() == 1);
  CHECK(energy.news().empty());
}

TEST_CASE("metrics tell each sensor once, with the labels escaped") {
  AnsweredSensor sensor;
  sensor.name = "a\"b";
  sensor.covers = "package";
  sensor.measures = "energy";
  sensor.in_sum = true;
  sensor.energy = {12.5};
  const std::string text = energy_metrics({sensor}, 2);
  CHECK(text.find("huddle_energy_joules_total{sensor=\"a\\\"b\",covers=\"package\",from=\"counted "
                  "energy\",part_of_sum=\"yes\"} 12.5\n") != std::string::npos);
  CHECK(text.find("\nhuddle_energy_steps 2\n") != std::string::npos);
}

}  // namespace
}  // namespace huddle::energyd

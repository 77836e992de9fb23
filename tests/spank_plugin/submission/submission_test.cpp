#include "spank_plugin/submission/submission.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/formats/plan/decision.hpp"
#include "profiles/formats/plan/plan_request.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "tests/profiles/store/temporary_directory.hpp"
#include "tests/profiles/vocabulary/error_of.hpp"
#include "tests/spank_plugin/submission/fake_slurm.hpp"

namespace huddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTemplate =
    "mode = \"{}\"\n{}\n[profiles]\ndirectory = \"{}\"\n[programs]\nhuddle = \"{}\"\n"
    "recorder = \"{}\"\nmpirun_helper = \"/helper.so\"\n";

/// A site whose `huddle` keeps what it is asked, and answers what a file says.
struct Site {
  Site() {
    fs::create_directory(directory.path() / "store");
    put_file(path("recorder.so"), "");
    put_file(path("plan.json"), "{}");
    slurm.options = {{"nodes", "8"}, {"ntasks", "16"}};
    answer_with("");
    put_policy("off");
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory.path() / name).string();
  }
  void put_policy(const std::string& mode, const std::string& more = "") const {
    put_file(path("huddle.toml"), fmt::format(kTemplate, mode, more, path("store"), path("huddle"),
                                              path("recorder.so")));
    ::chmod(path("huddle.toml").c_str(), 0644);  // root believes no other
  }
  // What `huddle` prints, and how it ends.
  void answer_with(const std::string& text, int status = 0) const {
    put_file(path("answer"), text);
    put_file(path("huddle"),
             fmt::format("#!/bin/sh\necho \"$*\" >{0}/arguments\ncat >{0}/request\n"
                         "cat {0}/answer\n[ {1} = 0 ] || echo 'huddle: it broke' >&2\nexit {1}\n",
                         directory.path().string(), status));
    ::chmod(path("huddle").c_str(), 0755);
  }
  void answer_with(Decision::Action action, std::uint32_t nodes = 2) const {
    Decision decision{action, "what was decided", path("plan.json"), nodes, 8, "2:2:2"};
    if (action != Decision::Action::kApply) decision.plan_file.clear();
    answer_with(to_json(decision));
  }
  void submit(std::string_view option, Submitter by = Submitter::kAllocator) {
    std::string argument = "policy=" + path("huddle.toml");
    char* arguments[] = {argument.data()};
    decide_submission(
        slurm, Settings(1, arguments),
        option == "none" ? AggregateOption{} : parse_aggregate_option(option, "option"), by);
  }
  [[nodiscard]] PlanRequest request() const {
    return parse_plan_request(get_file(path("request")), "request");
  }
  [[nodiscard]] bool asked() const { return fs::exists(path("request")); }
  [[nodiscard]] Treatment promised() const {
    return parse_outcome(slurm.variables.at(kOutcomeVariable), "outcome").treatment;
  }

  TemporaryDirectory directory;
  FakeSlurm slurm;
};

// The failure leaves options and variables as they were; records of it may be promised.
void check_untouched(const Site& site) {
  CHECK(site.slurm.options == FakeSlurm::Texts{{"nodes", "8"}, {"ntasks", "16"}});
  for (const auto& [name, value] : site.slurm.variables) {
    CAPTURE(name);
    CHECK((name == kOutcomeVariable || name == kOutcomeStoreVariable));
  }
}

TEST_CASE("a site that is switched off leaves jobs as they are, and says so to those who asked") {
  Site site;
  site.answer_with(Decision::Action::kMeasure);
  const auto expect_off = [&](const std::string& why) {
    site.slurm.lines.clear();
    site.submit("profile");
    REQUIRE(site.slurm.lines.size() == 1);
    CHECK(site.slurm.lines[0] == "left as submitted: Huddle is switched off here: " + why);
    CHECK_FALSE(site.slurm.variable(kRecorderVariable).has_value());
  };
  put_file(site.path("huddle.stop"), "");
  expect_off(site.path("huddle.stop") + " exists");
  fs::remove(site.path("huddle.stop"));
  const std::string policy = get_file(site.path("huddle.toml"));
  put_file(site.path("huddle.toml"), "enabled = false\n" + policy);
  expect_off(site.path("huddle.toml") + " has enabled = false");
  site.put_policy("off");
  site.submit("profile");
  CHECK(site.slurm.variable(kRecorderVariable).has_value());
}

TEST_CASE("a user whose name in the store is taken by somebody else's folder is told") {
  Site site;
  const std::string user = site.slurm.user();
  put_file(site.path("store/" + user), "");
  site.submit("profile");
  REQUIRE(site.slurm.lines.size() == 1);
  CHECK(site.slurm.lines[0].find(fmt::format("; {} is not a directory of user {}, so {}~",
                                             site.path("store/" + user), user,
                                             site.path("store/" + user))) != std::string::npos);
  CHECK(site.slurm.variable(kRecorderVariable).has_value());
}

TEST_CASE("a job with a plan gets its nodes, its layout and one line") {
  Site site;
  site.answer_with(Decision::Action::kApply);
  site.submit("auto");
  CHECK(site.slurm.options ==
        FakeSlurm::Texts{
            {"nodes", "2"}, {"ntasks", "16"}, {"ntasks-per-node", "8"}, {"exclusive", ""}});
  CHECK(site.slurm.variables.at(kPlanVariable) == site.path("plan.json"));
  CHECK(site.slurm.variables.at(kMpirunHelperVariable) == "/helper.so");
  CHECK_FALSE(site.slurm.variables.contains(kStepPlanVariable));
  CHECK(site.slurm.lines == std::vector<std::string>{"what was decided"});
  CHECK(site.promised() == Treatment::kPacked);
}

TEST_CASE("an srun of its own is laid out in rank order, and carries its plan") {
  Site site;
  site.answer_with(Decision::Action::kApply);
  site.submit("auto", Submitter::kDirectSrun);
  CHECK(site.request().grouping == Grouping::kRankOrder);
  CHECK(site.slurm.variables.at(kStepPlanVariable) == site.path("plan.json"));
}

TEST_CASE("huddle plan is asked by one document on its standard input") {
  Site site;
  site.put_policy("off", "slowdown = \"4%\"\nrisk = \"interval\"");
  site.answer_with(Decision::Action::kLeave);
  site.slurm.options["cpus-per-task"] = "2";
  site.slurm.variables[kSizeVariable] = "64x64";
  site.submit("objective=edp,label=caf\xe9,profile=~/p.json");
  CHECK(get_file(site.path("arguments")) == "plan --request=- --json\n");
  const PlanRequest request = site.request();
  CHECK(request.user == "ann");
  CHECK(request.label == "caf\xe9");
  CHECK(request.ranks == 16);
  CHECK(request.nodes == 8U);
  CHECK(request.cores_per_rank == 2);
  CHECK(request.size == 4096);
  CHECK(request.slowdown == doctest::Approx(0.04));
  CHECK(request.risk == Risk::kInterval);
  CHECK(request.objective == Objective::kEdp);
  CHECK(request.store == site.path("store"));
  CHECK_FALSE(request.make_store);
  CHECK(request.profiles == std::vector<fs::path>{"/home/ann/p.json"});
  CHECK(request.answer_within == Seconds{1.5});
  CHECK_FALSE(request.every_pattern);
  CHECK_FALSE(request.dry_run);
}

TEST_CASE("a job without a profile is measured as it was submitted") {
  Site site;
  site.answer_with(Decision::Action::kMeasure);
  site.submit("auto");
  CHECK(site.slurm.options == FakeSlurm::Texts{{"nodes", "8"}, {"ntasks", "16"}});
  CHECK(site.slurm.variables.at(kRecorderVariable) == site.path("recorder.so"));
  CHECK(site.slurm.variables.at(kMpirunHelperVariable) ==
        "/helper.so");  // mpirun starts ranks, too
  CHECK(site.slurm.variables.at(kStoreVariable) == site.path("store"));
  CHECK(site.slurm.variables.at(kLabelVariable) == "halo");
  CHECK(site.slurm.variables.at(kMoveRanksVariable) == "1");
  CHECK(site.slurm.lines == std::vector<std::string>{"what was decided"});
  CHECK(site.promised() == Treatment::kMeasured);
}

TEST_CASE("a run that is measured on request is not asked about, nor moved if its user binds it") {
  Site site;
  site.slurm.options["cpu-bind"] = "cores";
  site.submit("profile");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.variables.at(kMoveRanksVariable) == "0");
  CHECK(site.slurm.lines == std::vector<std::string>{"this run is measured, its profile goes to " +
                                                     site.path("store")});
}

TEST_CASE("advice is printed, and nothing is changed") {
  Site site;
  site.answer_with("a table\nand a sentence\n");
  site.submit("advise");
  CHECK(get_file(site.path("arguments")) == "plan --request=-\n");
  CHECK(site.request().every_pattern);
  CHECK(site.slurm.lines == std::vector<std::string>{"a table", "and a sentence"});
  check_untouched(site);
}

TEST_CASE("without the option, and with off, nothing happens and nothing is said") {
  Site site;
  site.submit("none");
  site.put_policy("auto");
  site.submit("off");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.lines.empty());
  CHECK(site.slurm.variables.empty());
  site.slurm.shown = false;
  site.submit("off");
  CHECK(error_of([&] { site.submit("none"); }) ==
        "this Slurm does not show its options to plugins");
}

TEST_CASE("with off even a policy that is broken is nobody's concern") {
  Site site;
  put_file(site.path("huddle.toml"), "nonsense");
  site.submit("off");
  CHECK_THROWS_AS(site.submit("none"), Error);
}

TEST_CASE("a mode that the site forbids is refused in a line") {
  Site site;
  site.put_policy("off", "[limits]\nmodes = [\"profile\"]");
  site.submit("auto");
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: by site policy (mode auto is not allowed, "
                                 "only off, profile)"});
  CHECK(site.slurm.variables.empty());
}

TEST_CASE("whoever places ranks is obeyed, and told so") {
  for (const char* option : {"distribution", "nodelist", "cpu-bind", "oversubscribe", "tmp",
                             "spread-job", "use-min-nodes", "ntasks-per-gpu"}) {
    CAPTURE(option);
    Site site;
    site.slurm.options[option] = "some";
    site.submit("auto");
    CHECK_FALSE(site.asked());
    REQUIRE(site.slurm.lines.size() == 1);
    CHECK(site.slurm.lines[0].starts_with("left as submitted: "));
    CHECK(site.slurm.lines[0].ends_with(fmt::format("(--{})", option)));
    CHECK(site.promised() == Treatment::kLeft);
    site.slurm.options.erase(option);
    check_untouched(site);
  }
  Site site;
  site.slurm.variables["SLURM_HOSTFILE"] = "hosts";
  site.submit("auto");
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: you place ranks yourself (SLURM_HOSTFILE)"});
}

TEST_CASE("an environment that steps do not see, several parts, and one node are left alone") {
  Site hidden;
  hidden.slurm.options["export"] = "PATH";
  hidden.submit("profile");
  CHECK(hidden.slurm.lines ==
        std::vector<std::string>{"left as submitted: its steps would not see what was decided "
                                 "(--export without ALL, or --export-file)"});
  Site file;
  file.slurm.options["export-file"] = "variables";
  file.submit("profile");
  CHECK(file.slurm.lines == hidden.slurm.lines);
  Site parts;
  parts.slurm.words = {"srun", "a", ":", "b"};
  parts.submit("auto");
  CHECK(parts.slurm.lines ==
        std::vector<std::string>{"left as submitted: it has several parts (a heterogeneous job)"});
  Site one;
  one.slurm.options["nodes"] = "1";
  one.submit("auto");
  CHECK(one.slurm.lines == std::vector<std::string>{"left as submitted: it uses one node only"});
}

TEST_CASE("jobs that a site's default leaves for what they are get no line") {
  Site site;
  site.put_policy("auto");
  site.slurm.options["nodes"] = "1";
  site.submit("none");
  CHECK(site.slurm.lines.empty());
  site.slurm.options["nodes"] = "8";
  site.slurm.options["nodelist"] = "n[0-7]";
  site.submit("none");
  CHECK(site.slurm.lines.empty());
  site.slurm.options.erase("nodelist");
  site.slurm.script_text = "srun -N8 ./app\n";
  site.answer_with(Decision::Action::kLeave);
  site.submit("none");
  CHECK(site.slurm.lines.empty());
  site.slurm.script_text = "srun ./app\n";
  site.submit("none");
  CHECK(site.slurm.lines == std::vector<std::string>{"left as submitted: what was decided"});
  site.put_policy("profile");
  site.slurm.lines.clear();
  site.slurm.options["export"] = "PATH";
  site.submit("none");
  CHECK(site.slurm.lines.empty());
}

TEST_CASE("a job without a name is left alone, unless the option gives a label") {
  for (const char* mode : {"auto", "profile"}) {
    Site site;
    site.slurm.options["job-name"] = "";
    site.submit(mode);
    CHECK(site.slurm.lines ==
          std::vector<std::string>{"left as submitted: it has no name for its profile (--job-name, "
                                   "or label= in --energy-aggregate)"});
    CHECK_FALSE(site.slurm.variable(kRecorderVariable).has_value());
    site.slurm.lines.clear();
    site.answer_with(Decision::Action::kMeasure);
    site.submit(std::string(mode) + ",label=halo");
    CHECK(site.slurm.variable(kLabelVariable) == "halo");
  }
}

TEST_CASE("an srun of a list of programs is left alone") {
  Site site;
  site.slurm.options["multi-prog"] = "set";
  site.answer_with(Decision::Action::kMeasure);
  site.submit("", Submitter::kDirectSrun);
  CHECK_FALSE(site.asked());
  REQUIRE(site.slurm.lines.size() == 1);
  CHECK(site.slurm.lines[0].starts_with("left as submitted: its programs are in a list"));
}

TEST_CASE("a script that parts its job is left alone") {
  Site site;
  site.slurm.script_text = "#!/bin/sh\n#SBATCH -N2\n#SBATCH hetjob\n#SBATCH -N1\nsrun a : b\n";
  site.submit("auto");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: it has several parts (a heterogeneous job)"});
}

TEST_CASE("a script that seems to need its nodes keeps them, and is measured all the same") {
  Site site;
  site.slurm.script_text = "srun -N8 ./app\n";
  site.answer_with(Decision::Action::kLeave);
  site.submit("auto");
  CHECK(site.request().least_nodes == 8);
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: your script places ranks itself (srun -N8); "
                                 "nodes=fewer if that is safe"});
  site.answer_with(Decision::Action::kMeasure);
  site.submit("auto");
  CHECK(site.promised() == Treatment::kMeasured);
}

TEST_CASE("nodes=fewer is the user's word that fewer nodes are safe") {
  Site site;
  site.slurm.script_text = "srun -N $SLURM_NNODES ./app\n";
  site.answer_with(Decision::Action::kApply);
  site.submit("nodes=fewer");
  CHECK(site.promised() == Treatment::kPacked);
  Site unseen;
  unseen.slurm.script_text.reset();
  unseen.answer_with(Decision::Action::kLeave);
  unseen.submit("auto");
  CHECK(unseen.slurm.lines ==
        std::vector<std::string>{"left as submitted: its script can't be looked at (nodes=fewer: "
                                 "it may have fewer nodes)"});
}

TEST_CASE("nodes with GPUs are kept, whatever their user says of fewer") {
  for (const char* option : {"gres", "gpus", "gpus-per-node", "gpus-per-task"}) {
    CAPTURE(option);
    Site site;
    site.slurm.options[option] = "1";
    site.answer_with(Decision::Action::kLeave);
    site.submit("nodes=fewer");
    CHECK(site.request().least_nodes == 8);
    CHECK(site.slurm.lines ==
          std::vector<std::string>{fmt::format(
              "left as submitted: its nodes are kept for what they have (--{})", option)});
  }
}

TEST_CASE("a range of nodes has a lower end that is kept") {
  Site site;
  site.slurm.options["nodes"] = "4-8";
  site.answer_with(Decision::Action::kLeave);
  site.submit("auto");
  CHECK(site.request().nodes == 8U);
  CHECK(site.request().least_nodes == 4);
}

TEST_CASE("memory that was asked for follows the ranks, and a packed job has all of its nodes'") {
  constexpr std::uint64_t kGib = std::uint64_t{1} << 30U;
  Site by_node;
  by_node.slurm.options["mem"] = "8G";
  by_node.answer_with(Decision::Action::kApply);
  by_node.submit("auto");
  CHECK(by_node.request().memory_per_rank == Bytes{4 * kGib});  // 16 ranks on 8 nodes
  CHECK(by_node.slurm.needed.memory == Bytes{8 * 4 * kGib});
  CHECK(by_node.slurm.options.at("mem") == "0");
  Site by_cpu;
  by_cpu.slurm.options["mem-per-cpu"] = "2G";
  by_cpu.slurm.options["cpus-per-task"] = "2";
  by_cpu.answer_with(Decision::Action::kApply);
  by_cpu.submit("auto");
  CHECK(by_cpu.request().memory_per_rank == Bytes{4 * kGib});
  CHECK(by_cpu.slurm.options.at("mem") == "0");
  CHECK_FALSE(by_cpu.slurm.options.contains("mem-per-cpu"));
  Site by_site;
  by_site.slurm.memory_by_node = true;
  by_site.answer_with(Decision::Action::kApply);
  by_site.submit("auto");
  CHECK(by_site.request().memory_per_rank == Bytes{});
  CHECK(by_site.slurm.options.at("mem") == "0");
}

TEST_CASE("the limit of time is the one that is asked for, or else the partition's") {
  Site site;
  site.slurm.time_limit = Seconds{3600};
  site.answer_with(Decision::Action::kLeave);
  site.submit("auto");
  CHECK(site.request().time_limit == Seconds{3600});
  site.slurm.options["time"] = "00:01:00";
  site.submit("auto");
  CHECK(site.request().time_limit == Seconds{60});
}

TEST_CASE("whole nodes may be charged more, which the user is told and a site can forbid") {
  Site site;
  site.slurm.packed_cpus = 24;
  site.answer_with(Decision::Action::kApply);
  site.submit("auto");
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"what was decided; it is charged 24 CPUs in place of 16"});
  Site strict;
  strict.put_policy("off", "[limits]\nhigher_charge = false");
  strict.slurm.packed_cpus = 24;
  strict.answer_with(Decision::Action::kApply);
  CHECK(error_of([&] { strict.submit("auto"); }) ==
        "packed it would be charged 24 CPUs in place of 16, and the site does not want that");
  check_untouched(strict);
  strict.slurm.packed_cpus = 16;
  strict.submit("auto");
  CHECK(strict.promised() == Treatment::kPacked);
}

TEST_CASE("nodes that are kept are not asked about, unless frequencies may change") {
  Site site;
  site.submit("nodes=keep");
  CHECK_FALSE(site.asked());
  CHECK(site.slurm.lines ==
        std::vector<std::string>{"left as submitted: you keep your nodes (nodes=keep)"});
  site.put_policy("off", "[frequency]\ncontrol = true");
  site.answer_with(Decision::Action::kLeave);
  site.submit("nodes=keep,frequency=auto");
  CHECK(site.request().least_nodes == 8);
  CHECK(site.request().samples == 1);
  CHECK(site.request().frequencies == FrequencyRange{});
}

TEST_CASE("frequencies of a plan are handed on within the site's limit") {
  Site site;
  site.put_policy("off", "[frequency]\ncontrol = true\n[limits]\nfrequency = \"1.5GHz-2GHz\"");
  Decision decision{Decision::Action::kApply, "packed", site.path("plan.json"), 2, 8, "2:2:2"};
  decision.frequency = KilohertzRange{1'200'000, 1'800'000};
  site.answer_with(to_json(decision));
  site.submit("frequency=auto");
  CHECK(site.request().frequencies == FrequencyRange{{1.5e9}, {2e9}});
  CHECK(site.slurm.variables.at(kFrequencyVariable) == "1500000-1800000");
  CHECK(site.slurm.lines == std::vector<std::string>{"packed; cores run at 1.5 GHz to 1.8 GHz"});
}

TEST_CASE("whatever fails leaves the job as submitted, and takes back what was set") {
  const std::string by_huddle = "plan failed with status 1: it broke";
  Site site;
  site.answer_with("", 1);
  CHECK(error_of([&] { site.submit("auto"); }).ends_with(by_huddle));
  check_untouched(site);
  CHECK(site.promised() == Treatment::kLeft);
  site.answer_with("no decision");
  CHECK_THROWS_AS(site.submit("auto"), FormatError);
  check_untouched(site);
  site.answer_with(Decision::Action::kApply, 9);
  CHECK(error_of([&] { site.submit("auto"); }) ==
        "the plan takes 9 nodes, more nodes than the 8 asked for");
  check_untouched(site);
  site.answer_with(Decision::Action::kApply);
  site.slurm.missing = "the nodes are down";
  CHECK(error_of([&] { site.submit("auto"); }) == "the nodes are down");
  check_untouched(site);
  site.slurm.missing = "";
  site.slurm.refusal = "it would exceed a limit";
  CHECK(error_of([&] { site.submit("auto"); }) ==
        "Slurm would not run it packed: it would exceed a limit");
  check_untouched(site);
  fs::remove(site.path("plan.json"));
  CHECK(error_of([&] { site.submit("auto"); }).starts_with("can't read the plan"));
  check_untouched(site);
  fs::remove(site.path("recorder.so"));
  CHECK(error_of([&] { site.submit("profile"); }).find("can't be read: install it") !=
        std::string::npos);
  check_untouched(site);
  CHECK(site.slurm.lines.empty());  // the wall around the hook says what was thrown
}

TEST_CASE("a huddle that reads nothing, or never ends, does not hold the submission up") {
  Site site;
  put_file(site.path("huddle"), "#!/bin/sh\nexec <&-\nexit 0\n");
  CHECK_THROWS_AS(site.submit("auto"), FormatError);
  put_file(site.path("huddle"), "#!/bin/sh\nsleep 300\n");
  CHECK(error_of([&] { site.submit("auto"); }).ends_with("plan took longer than 2 s"));
  check_untouched(site);
}

TEST_CASE("Slurm's options are set all or none") {
  for (const char* refused : {"nodes", "ntasks", "ntasks-per-node", "exclusive"}) {
    CAPTURE(refused);
    Site site;
    site.answer_with(Decision::Action::kApply);
    site.slurm.refused = refused;
    const std::string error = error_of([&] { site.submit("auto"); });
    CHECK(error == fmt::format("Slurm does not take --{} from a plugin", refused));
    check_untouched(site);
    CHECK(site.slurm.lines.empty());
  }
}

TEST_CASE("a job that is only tested leaves nothing behind") {
  Site site;
  site.slurm.options["test-only"] = "";
  site.answer_with(Decision::Action::kMeasure);
  site.submit("auto");
  CHECK(site.request().dry_run);
  CHECK_FALSE(site.request().answer_within.has_value());
  CHECK(fs::is_empty(site.path("store")));
  CHECK_FALSE(site.slurm.variables.contains(kOutcomeVariable));
}

}  // namespace
}  // namespace huddle

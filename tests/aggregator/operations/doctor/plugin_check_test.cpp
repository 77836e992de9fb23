#include "aggregator/operations/doctor/plugin_check.hpp"

#include <doctest/doctest.h>

#include <fstream>

#include "aggregator/operations/doctor/node_report.hpp"
#include "tests/profiles/store/temporary_directory.hpp"

using huddle::store::TemporaryDirectory;
using namespace huddle::doctor;

namespace {

// A site with a plugin's file that says what it is in the midst of other bytes.
struct Site {
  TemporaryDirectory folder;

  PluginPlaces with(const std::string& line, const std::string& mark) const {
    std::ofstream(folder.path() / "plugstack.conf") << line << '\n';
    std::ofstream(folder.path() / "spank_huddle.so", std::ios::binary)
        << std::string(
               "\x7f"
               "ELF\0\0",
               6)
        << mark << std::string("\0rest", 5);
    return {folder.path() / "plugstack.conf", folder.path().string(), "22.05.8"};
  }
};

const std::string kRight = "@(#)spank_huddle " HUDDLE_VERSION " for Slurm 22.05.3";

}  // namespace

TEST_CASE("a Slurm without a function that the plugin takes from it is wrong") {
  CHECK(check_symbols("Usage: srun ...\n").verdict == Verdict::kOk);
  const Finding finding = check_symbols(
      "Usage: srun ...\nsrun: error: spank: huddle: this Slurm lacks slurm_option_set: jobs are "
      "left as submitted\nUsage: sbatch ...\n");
  CHECK(finding.verdict == Verdict::kWrong);
  CHECK(finding.what == "this Slurm lacks slurm_option_set: jobs are left as submitted");
}

TEST_CASE("a plugin's file holds its version and the Slurm that it was built for") {
  const Site site;
  site.with("", kRight);
  const auto facts = read_plugin_file(site.folder.path() / "spank_huddle.so");
  REQUIRE(facts);
  CHECK(facts->version == HUDDLE_VERSION);
  CHECK(facts->built_for == "22.05.3");
  site.with("", "something else");
  CHECK_FALSE(read_plugin_file(site.folder.path() / "spank_huddle.so"));
}

TEST_CASE("a plugin that fits is well, and one that is required is warned of") {
  const Site site;
  CHECK(check_plugin_file(site.with("optional spank_huddle.so", kRight)).finding.verdict ==
        Verdict::kOk);
  const Examined required = check_plugin_file(site.with("required spank_huddle.so", kRight));
  CHECK(required.finding.verdict == Verdict::kWarning);
  CHECK(required.finding.what.find("plugstack.conf:1") != std::string::npos);
}

TEST_CASE("a plugin that Slurm would not load, or that is another Huddle's, is wrong") {
  const Site site;
  const auto what = [&](const std::string& line, const std::string& mark) {
    const Examined examined = check_plugin_file(site.with(line, mark));
    CHECK(examined.finding.verdict == Verdict::kWrong);
    CHECK_FALSE(examined.finding.advice.empty());
    return examined.finding.what;
  };
  CHECK(what("", kRight).find("no line of") != std::string::npos);
  CHECK(what("optional /nonexistent/spank_huddle.so", kRight).ends_with("is missing"));
  CHECK(what("optional spank_huddle.so", "nothing").find("does not hold its version") !=
        std::string::npos);
  CHECK(what("optional spank_huddle.so", "@(#)spank_huddle " HUDDLE_VERSION " for Slurm 21.08.8")
            .find("was built for Slurm 21.08.8, and Slurm 22.05.8 does not load it") !=
        std::string::npos);
  CHECK(what("optional spank_huddle.so", "@(#)spank_huddle 9.9.9 for Slurm 22.05.8")
            .find("is of Huddle 9.9.9") != std::string::npos);
}

TEST_CASE("what the plugin reports of itself counts more than its file") {
  const Site site;
  const PluginPlaces places = site.with("optional spank_huddle.so", kRight);
  const PluginFacts loaded = parse_self_report(
      "version=" HUDDLE_VERSION
      "\nbuilt_for=22.05.8\nrunning_in=22.05.8\nfile=/a b/c=d.so\npolicy=\nnew=thing\n");
  CHECK(loaded.file == "/a b/c=d.so");
  CHECK(loaded.policy.empty());
  const Examined well = check_loaded_plugin(places, loaded);
  CHECK(well.finding.verdict == Verdict::kOk);
  CHECK(well.facts.at(kPluginFact) == HUDDLE_VERSION " for Slurm 22.05.8");
  CHECK(check_loaded_plugin(places, std::nullopt).finding.what.find("did not load") !=
        std::string::npos);
  PluginFacts old = loaded;
  old.version = "0.0.1";
  CHECK(check_loaded_plugin(places, old).finding.verdict == Verdict::kWrong);
}

TEST_CASE("Slurm's versions fit if major and minor are the same") {
  CHECK(slurm_versions_fit("22.05.8", "22.05.2"));
  CHECK(slurm_versions_fit("22.05", "22.5.8"));
  CHECK_FALSE(slurm_versions_fit("22.05.8", "23.05.8"));
  CHECK_FALSE(slurm_versions_fit("22.05.8", "22.11.8"));
  CHECK_FALSE(slurm_versions_fit("", "22.05"));
}

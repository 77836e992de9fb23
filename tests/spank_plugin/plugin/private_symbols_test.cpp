#include "spank_plugin/plugin/client/private_symbols.hpp"

#include <doctest/doctest.h>

#include "profiles/vocabulary/environment.hpp"
#include "tests/spank_plugin/plugin/fake_spank.hpp"

namespace huddle::plugin {
namespace {

TEST_CASE("a symbol that a program of Slurm's lacks is named, with what becomes of jobs") {
  CHECK(missing_symbols(ClientProgram::kOther).empty());
  const std::vector<std::string> lines =
      missing_symbols(ClientProgram::kBatch);  // this is no sbatch
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] ==
        "this Slurm lacks sbopt: sbatch is taken for salloc, and what its script needs is not "
        "seen");
}

TEST_CASE("only who asks which plugin this is learns of missing symbols") {
  const SlurmForATest slurm({kSelfReportVariable});
  report_missing_symbols(ClientProgram::kBatch);
  CHECK(slurm->lines.empty());
  slurm.set_variable(kSelfReportVariable, kWhichPlugin);
  report_missing_symbols(ClientProgram::kBatch);
  REQUIRE(slurm->lines.size() == 1);
  CHECK(slurm->lines[0].starts_with("huddle: this Slurm lacks sbopt"));
}

}  // namespace
}  // namespace huddle::plugin

#include "spank_plugin/submission/batch_script.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "tests/profiles/store/temporary_directory.hpp"

namespace huddle {
namespace {

bool several_parts(const std::string& script) {
  std::istringstream stream(script);
  return asks_for_several_parts(stream);
}

TEST_CASE("a script that parts its job says so in a line of its own, in front of its commands") {
  CHECK(several_parts("#!/bin/bash\n#SBATCH -N2\n#SBATCH hetjob\n#SBATCH -N1\nsrun a\n"));
  CHECK(several_parts("#!/bin/bash\n\n# a comment\n#SBATCH \t packjob # the old word\n"));
  CHECK_FALSE(several_parts("#!/bin/bash\n#SBATCH -N2\nsrun a\n#SBATCH hetjob\n"));
  CHECK_FALSE(several_parts("#!/bin/bash\n#SBATCH --job-name=hetjob\nsrun a\n"));
  CHECK_FALSE(several_parts("#!/bin/bash\n#SBATCHhetjob\n# SBATCH hetjob\n#SBATCH hetjobs\n"));
  CHECK_FALSE(several_parts(""));
}

TEST_CASE("a long text is not read to its end") {
  std::string script = "#!/bin/bash\n";
  while (script.size() < (2U << 20U)) script += "# " + std::string(1000, 'x') + "\n";
  CHECK_FALSE(several_parts(script + "#SBATCH hetjob\n"));
}

TEST_CASE("the script is found behind sbatch's options, and a colon parts a command line") {
  const TemporaryDirectory directory;
  const std::string script = (directory.path() / "job.sh").string();
  put_file(script, "#!/bin/bash\n#SBATCH hetjob\n");
  CHECK(submits_several_parts({"sbatch", "-o", "out", script, "argument"}));
  CHECK(submits_several_parts({"srun", "-n1", "a", ":", "-n1", "b"}));
  CHECK_FALSE(submits_several_parts({"sbatch", "--wrap", "true"}));
  put_file(script, "#!/bin/bash\nsrun a\n");
  CHECK_FALSE(submits_several_parts({"sbatch", script}));
  CHECK_FALSE(submits_several_parts({"sbatch", directory.path().string(), "/no/such/file", ""}));
}

}  // namespace
}  // namespace huddle

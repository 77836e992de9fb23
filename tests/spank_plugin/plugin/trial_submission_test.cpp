#include "spank_plugin/plugin/client/trial_submission.hpp"

#include <doctest/doctest.h>

namespace huddle::plugin {
namespace {

TEST_CASE("a Slurm that takes lists of numbers of nodes shows them in the job's description") {
  struct Older {};
  struct Newer {
    const char* job_size_str;
  };
  CHECK(listed_node_counts(Older{}).empty());
  CHECK(listed_node_counts(Newer{nullptr}).empty());
  CHECK(listed_node_counts(Newer{"2,4,8"}) == "2,4,8");
}

}  // namespace
}  // namespace huddle::plugin

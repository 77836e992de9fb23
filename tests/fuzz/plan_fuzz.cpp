#include "profiles/formats/plan/plan.hpp"

#include "profiles/formats/plan/launch_files.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace huddle {
namespace {

void check(const Plan& plan) {
  demand(plan.ranks > 0 && plan.placement.size() == plan.ranks);
  for (const RankPlace& place : plan.placement) {
    demand(place.node.value < plan.chosen.nodes);
    demand(!place.pus.empty() && place.pus.members().back() < plan.node_pus);
  }
  const std::string text = to_json(plan);
  demand(to_json(parse_plan(text, "again")) == text);
  if (plan.chosen.nodes > 64) return;
  const std::vector<std::string> hosts(plan.chosen.nodes, "host");
  demand(slurm_node_list(plan, hosts).size() == plan.ranks * 5 - 1);
  demand(slurm_host_file(plan, hosts).size() == plan.ranks * 5);
  demand(!openmpi_rankfile(plan, hosts).empty());
  demand(!mpich_host_file(plan, hosts).empty());
}

}  // namespace
}  // namespace huddle

/// Any bytes are a plan that has a place for each rank and survives its text, or an Error.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace huddle;
  if (const auto plan = parsed([&] { return parse_plan(as_text(data, size), "fuzz"); }))
    check(*plan);
  return 0;
}

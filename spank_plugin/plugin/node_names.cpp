#include "spank_plugin/plugin/node_names.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "profiles/vocabulary/error.hpp"

extern "C" {
#include <slurm/slurm.h>
}

namespace huddle {

std::vector<std::string> expand_node_names(const std::string& node_list) {
  hostlist_t list = slurm_hostlist_create(node_list.c_str());
  if (list == nullptr || node_list.empty())
    throw Error(fmt::format("Slurm can't read the node list \"{}\"", shortened(node_list)));
  std::vector<std::string> names;
  while (char* name = slurm_hostlist_shift(list)) {
    names.emplace_back(name);
    std::free(name);  // NOLINT(cppcoreguidelines-no-malloc): malloc'ed by Slurm, as its header says
  }
  slurm_hostlist_destroy(list);
  return names;
}

}  // namespace huddle

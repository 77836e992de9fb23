#include "aggregator/commands/setup/setup_parts.hpp"

#include <fmt/format.h>

namespace huddle::cli {
namespace {

// A string of TOML.
std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    else
      quoted += (c == '"' || c == '\\') ? std::string{'\\', c} : std::string{c};
  }
  return quoted + "\"";
}

}  // namespace

std::string policy_text(const FirstPolicy& policy) {
  return fmt::format(
      R"(# Huddle's policy for this site, see huddle.toml(5). Each key that is not here has its default. A change takes
# effect with the next submission; `huddle doctor` says whether the file is valid.

# What a job gets that does not use --energy-aggregate: off, profile, advise or auto. "advise" changes no job: it prints
# what Huddle would do. Users who write --energy-aggregate get what they ask for. With a model (see below) "auto" packs
# all jobs that it may.
mode = "advise"

# The largest slowdown that a plan may predict.
slowdown = "5%"

[profiles]
# Where profiles and plans are kept: on a file system that login and compute nodes share, writable for all (mode 1777).
{}directory = {}

[machine]
# What the nodes look like. Without it jobs are measured and never packed.
file = {}
# How ranks slow each other down on full nodes, as measured by: huddle train --run
# Without it a job is packed only as densely as a measured run of it covers, so its second run is measured, too.
{}model = {}

[frequency]
# Whether the plugin may limit the clocks of a job's cores, and puts them back. Jobs ask for it by frequency=...
#control = true
# Whether clocks may also follow the loads of ranks while a program runs, for jobs that ask for it (energy=balance): a
# process on each node, which belongs to nobody and can write these clocks alone, changes them. And whether jobs that say
# nothing of it get that, too ("by default").
#balance = true
)",
      policy.store.empty() ? "#" : "",
      quoted(policy.store.empty() ? "/shared/huddle" : policy.store),
      quoted(policy.machine.string()), policy.has_model ? "" : "#", quoted(policy.model.string()));
}

}  // namespace huddle::cli

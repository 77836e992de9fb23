#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace huddle {

/// What Slurm would give a job.
struct JobSize {
  std::uint64_t cpus = 0;
  std::uint64_t nodes = 0;
};

/// A limit in Slurm's own words, such as "1=12,4=8": counts by kind of resource, of which 1 are
/// CPUs and 4 are nodes. Absent kinds are not limited; an amount that is no number is none.
struct ResourceLimit {
  std::optional<std::uint64_t> cpus;
  std::optional<std::uint64_t> nodes;

  static ResourceLimit parse(std::string_view text);
};

/// Why a job of that size is above the limit; empty if it is not. `whose`: "QOS short", for the
/// user.
std::string why_above(const ResourceLimit& limit, const JobSize& size, std::string_view whose);
/// The same for one that it must reach.
std::string why_below(const ResourceLimit& limit, const JobSize& size, std::string_view whose);

}  // namespace huddle

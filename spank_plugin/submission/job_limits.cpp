#include "spank_plugin/submission/job_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::submission {
namespace {

/// A kind of resource: its name for people, how a limit and a job have it.
struct Resource {
  const char* name;
  std::optional<std::uint64_t> ResourceLimit::*limit;
  std::uint64_t JobSize::*size;
};

constexpr std::array kResources = {
    Resource{"CPUs", &ResourceLimit::cpus, &JobSize::cpus},
    Resource{"nodes", &ResourceLimit::nodes, &JobSize::nodes},
    Resource{"MiB of memory", &ResourceLimit::memory_mib, &JobSize::memory_mib},
};

JobSize on_each_node(const JobSize& size) {
  if (size.nodes == 0) return {};
  return {size.cpus / size.nodes, 1, size.memory_mib / size.nodes};
}

JobSize times_minutes(const JobSize& size) {
  return {size.cpus * size.minutes, size.nodes * size.minutes, size.memory_mib * size.minutes};
}

/// A kind of upper limit, and what of a job it is compared with.
struct UpperLimit {
  ResourceLimit HeldLimits::*limit;
  /// Behind the resource's name: "allows 4 CPUs on a node".
  const char* of_what;
  JobSize size;
};

std::string why_above(const ResourceLimit& limit, const UpperLimit& kind, std::string_view whose) {
  for (const Resource& resource : kResources) {
    const auto& most = limit.*resource.limit;
    const std::uint64_t wanted = kind.size.*resource.size;
    if (most && wanted > *most)
      return fmt::format("{} allows {} {}{} and it would have {}", whose, *most, resource.name,
                         kind.of_what, wanted);
  }
  return {};
}

std::string why_below(const ResourceLimit& limit, const JobSize& size, std::string_view whose) {
  for (const Resource& resource : kResources) {
    const auto& least = limit.*resource.limit;
    const std::uint64_t wanted = size.*resource.size;
    if (least && wanted != 0 && wanted < *least)
      return fmt::format("{} wants {} {} or more and it would have {}", whose, *least,
                         resource.name, wanted);
  }
  return {};
}

/// Takes from `limit` what `taken` has already, and adds the rest to it.
ResourceLimit what_is_new(const ResourceLimit& limit, ResourceLimit& taken) {
  ResourceLimit rest;
  for (const Resource& resource : kResources) {
    if (taken.*resource.limit) continue;
    rest.*resource.limit = taken.*resource.limit = limit.*resource.limit;
  }
  return rest;
}

std::string why_kind_forbids(const std::vector<HeldLimits>& all, const UpperLimit& kind) {
  ResourceLimit taken;
  for (const HeldLimits& holder : all) {
    const bool adds_up = !holder.of_qos && kind.limit == &HeldLimits::of_all;
    ResourceLimit before = taken;
    const ResourceLimit limit = what_is_new(holder.*kind.limit, adds_up ? before : taken);
    if (std::string why = why_above(limit, kind, holder.whose); !why.empty()) return why;
  }
  return {};
}

}  // namespace

ResourceLimit ResourceLimit::parse(std::string_view text) {
  ResourceLimit limit;
  while (!text.empty()) {
    std::string_view count = take_until(text, ',');
    const std::string_view kind = take_until(count, '=');
    if (kind == "1") limit.cpus = number_in<std::uint64_t>(count);
    if (kind == "2") limit.memory_mib = number_in<std::uint64_t>(count);
    if (kind == "4") limit.nodes = number_in<std::uint64_t>(count);
  }
  return limit;
}

std::string why_limits_forbid(const std::vector<HeldLimits>& all, const JobSize& size) {
  const std::array kinds = {
      UpperLimit{&HeldLimits::of_job, "", size},
      UpperLimit{&HeldLimits::of_node, " on a node", on_each_node(size)},
      UpperLimit{&HeldLimits::of_minutes, " times minutes", times_minutes(size)},
      UpperLimit{&HeldLimits::of_user, " to a user", size},
      UpperLimit{&HeldLimits::of_account, " to an account", size},
      UpperLimit{&HeldLimits::of_all, " to all its jobs", size},
  };
  for (const UpperLimit& kind : kinds)
    if (std::string why = why_kind_forbids(all, kind); !why.empty()) return why;
  ResourceLimit taken;
  for (const HeldLimits& holder : all)
    if (std::string why = why_below(what_is_new(holder.least, taken), size, holder.whose);
        !why.empty())
      return why;
  return {};
}

}  // namespace huddle::submission

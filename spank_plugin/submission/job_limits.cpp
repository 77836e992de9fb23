#include "spank_plugin/submission/job_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace huddle {
namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

ResourceLimit ResourceLimit::parse(std::string_view text) {
  ResourceLimit limit;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::size_t equals = item.find('=');
    if (equals != std::string_view::npos) {
      const std::string_view kind = item.substr(0, equals);
      const auto count = number_in(item.substr(equals + 1));
      if (kind == "1") limit.cpus = count;
      if (kind == "4") limit.nodes = count;
    }
    text.remove_prefix(std::min(item.size() + 1, text.size()));
  }
  return limit;
}

std::string why_above(const ResourceLimit& limit, const JobSize& size, std::string_view whose) {
  if (limit.cpus && size.cpus > *limit.cpus)
    return fmt::format("{} allows {} CPUs and it would have {}", whose, *limit.cpus, size.cpus);
  if (limit.nodes && size.nodes > *limit.nodes)
    return fmt::format("{} allows {} nodes and it would have {}", whose, *limit.nodes, size.nodes);
  return {};
}

std::string why_below(const ResourceLimit& limit, const JobSize& size, std::string_view whose) {
  if (limit.cpus && size.cpus < *limit.cpus)
    return fmt::format("{} wants {} CPUs or more and it would have {}", whose, *limit.cpus,
                       size.cpus);
  if (limit.nodes && size.nodes < *limit.nodes)
    return fmt::format("{} wants {} nodes or more and it would have {}", whose, *limit.nodes,
                       size.nodes);
  return {};
}

}  // namespace huddle

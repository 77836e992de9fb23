#include "spank_plugin/clocks/watch_order.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::string_view kWhat = "the order to watch a step";

// The rest of the next line, which begins with `key`.
std::string_view line_of(std::string_view& text, std::string_view key) {
  const auto end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  if (end == std::string_view::npos || !line.starts_with(key) || line.size() <= key.size() ||
      line[key.size()] != ' ')
    throw FormatError(kWhat, "a line", fmt::format("\"{}\"", shortened(line)), key);
  text.remove_prefix(end + 1);
  return line.substr(key.size() + 1);
}

}  // namespace

std::string text_of(const WatchOrder& order) {
  const Journal claim{"", {}, {order.claim}};
  return fmt::format("allocated {}\nsite {}\ndirectory {}\npolicy {}\n{}", order.allocated.list(),
                     order.site ? text_of(*order.site) : "", order.journal_directory,
                     order.policy_file, text_of(claim));
}

WatchOrder parse_watch_order(std::string_view text) {
  WatchOrder order;
  order.allocated = PuSet::parse(line_of(text, "allocated"));
  if (const std::string_view site = line_of(text, "site"); !site.empty()) {
    order.site = parse_clock_limits(site);
    if (!order.site) throw FormatError(kWhat, "site", shortened(site), "limits in kHz");
  }
  order.journal_directory = line_of(text, "directory");
  order.policy_file = line_of(text, "policy");
  Journal journal = parse_journal(text, kWhat);
  if (journal.claims.size() != 1)
    throw FormatError(kWhat, "claims", std::to_string(journal.claims.size()), "one");
  order.claim = std::move(journal.claims[0]);
  return order;
}

}  // namespace huddle

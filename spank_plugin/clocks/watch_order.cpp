#include "spank_plugin/clocks/watch_order.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::clocks {
namespace {

constexpr std::string_view kWhat = "the order to watch a step";

}  // namespace

std::string text_of(const WatchOrder& order) {
  const frequency::Journal claim{"", {}, {order.claim}};
  return fmt::format("allocated {}\nsite {}\ndirectory {}\npolicy {}\n{}", order.allocated.list(),
                     order.site ? text_of(*order.site) : "", order.journal_directory,
                     order.policy_file, text_of(claim));
}

WatchOrder parse_watch_order(std::string_view text) {
  FieldReader lines(text, kWhat);
  const auto value_of = [&](std::string_view key) {
    lines.next_line(key);
    return lines.rest();
  };
  WatchOrder order;
  order.allocated = PuSet::parse(value_of("allocated"));
  if (const std::string_view site = value_of("site"); !site.empty()) {
    order.site = frequency::parse_clock_limits(site);
    if (!order.site) lines.refuse("limits in kHz");
  }
  order.journal_directory = value_of("directory");
  order.policy_file = value_of("policy");
  frequency::Journal journal = frequency::parse_journal(lines.remaining(), kWhat);
  if (journal.claims.size() != 1)
    throw FormatError(kWhat, "claims", std::to_string(journal.claims.size()), "one");
  order.claim = std::move(journal.claims[0]);
  return order;
}

}  // namespace huddle::clocks

#include "spank_plugin/courier/courier_order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::courier {
namespace {

bool fits_a_line(const std::string& text) {
  const auto unfit = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  return std::none_of(text.begin(), text.end(), unfit);
}

const std::string& checked(const std::string& path, const char* what) {
  if (!path.empty() && (!path.starts_with('/') || !fits_a_line(path)))
    throw Error(fmt::format("the {} is no absolute path without control characters", what));
  return path;
}

const std::string& checked_outcome(const std::string& outcome) {
  if (!fits_a_line(outcome)) throw Error("the promised outcome has control characters");
  return outcome;
}

std::vector<gid_t> numbers_in(FieldReader& order) {
  std::vector<gid_t> numbers;
  for (std::string_view rest = order.rest(); !rest.empty();) {
    const auto number = number_in<gid_t>(take_until(rest, ','));
    if (!number) order.refuse("numbers of groups");
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

std::string text_of(const CourierOrder& order) {
  return fmt::format(
      "user {}\ngroup {}\ngroups {}\nspool {}\nstore {}\noutcome_store {}\noutcome {}\njob {}\n"
      "step {}\nseconds_after_step {}\nend\n",
      order.user, order.group, fmt::join(order.groups, ","), checked(order.spool, "spool"),
      checked(order.store, "store"), checked(order.outcome_store, "store of outcomes"),
      checked_outcome(order.outcome), order.job, order.step, order.seconds_after_step);
}

CourierOrder parse_courier_order(std::string_view text) {
  CourierOrder order;
  FieldReader lines(text, "the order to a courier");
  const auto text_of = [&](std::string_view name) {
    lines.next_line(name);
    return std::string(lines.rest());
  };
  order.user = lines.number_of<std::uint32_t>("user");
  order.group = lines.number_of<std::uint32_t>("group");
  lines.next_line("groups");
  order.groups = numbers_in(lines);
  order.spool = checked(text_of("spool"), "spool");
  order.store = checked(text_of("store"), "store");
  order.outcome_store = checked(text_of("outcome_store"), "store of outcomes");
  order.outcome = checked_outcome(text_of("outcome"));
  order.job = lines.number_of<std::uint32_t>("job");
  order.step = lines.number_of<std::uint32_t>("step");
  order.seconds_after_step = lines.number_of<std::uint32_t>("seconds_after_step");
  lines.next_line("end");
  lines.end();
  return order;
}

}  // namespace huddle::courier

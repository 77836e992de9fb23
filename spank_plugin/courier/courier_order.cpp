#include "spank_plugin/courier/courier_order.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
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

// Lines "NAME VALUE" in a fixed order.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::string_view value_of(std::string_view name) {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    if (line.size() == rest_.size() || !line.starts_with(name) ||
        line.substr(name.size(), 1) != " ")
      throw Error(fmt::format("expected a line that begins with \"{} \" in the order", name));
    rest_.remove_prefix(line.size() + 1);
    return line.substr(name.size() + 1);
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

std::uint32_t number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc{} || end != text.data() + text.size())
    throw Error(
        fmt::format("\"{}\" is no number of a user, a group, a job, a step or seconds", text));
  return number;
}

std::vector<gid_t> numbers_of(std::string_view text) {
  std::vector<gid_t> numbers;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    numbers.push_back(number_of(one));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
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
  Lines lines(text);
  order.user = number_of(lines.value_of("user"));
  order.group = number_of(lines.value_of("group"));
  order.groups = numbers_of(lines.value_of("groups"));
  order.spool = checked(std::string(lines.value_of("spool")), "spool");
  order.store = checked(std::string(lines.value_of("store")), "store");
  order.outcome_store = checked(std::string(lines.value_of("outcome_store")), "store of outcomes");
  order.outcome = checked_outcome(std::string(lines.value_of("outcome")));
  order.job = number_of(lines.value_of("job"));
  order.step = number_of(lines.value_of("step"));
  order.seconds_after_step = number_of(lines.value_of("seconds_after_step"));
  if (lines.rest() != "end\n") throw Error("expected \"end\" as the last line of the order");
  return order;
}

}  // namespace huddle

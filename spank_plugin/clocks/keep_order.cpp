#include "spank_plugin/clocks/keep_order.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>

#include "profiles/vocabulary/error.hpp"

namespace huddle {
namespace {

constexpr std::string_view kKeepOrder = "the order to keep a step's clocks";
constexpr std::string_view kLastLine = "end\n";

// Takes the lines of an order from its front, and the words of each.
class OrderReader {
 public:
  explicit OrderReader(std::string_view text) : text_(text) {}

  [[noreturn]] void refuse(std::string_view expected) const {
    throw FormatError(kKeepOrder, "a line", fmt::format("\"{}\"", shortened(line_)), expected);
  }

  /// The next line, which must begin with that word; the rest of it is read by what follows.
  void line(std::string_view key) {
    const auto end = text_.find('\n');
    line_ = text_.substr(0, end);
    if (end == std::string_view::npos) refuse("a whole line");
    text_.remove_prefix(end + 1);
    rest_ = line_;
    if (word() != key) refuse(key);
  }

  std::string_view word() {
    const auto space = rest_.find(' ');
    const std::string_view word = rest_.substr(0, space);
    if (word.empty()) refuse("another word");
    rest_.remove_prefix(space == std::string_view::npos ? rest_.size() : space + 1);
    return word;
  }

  template <class Number>
  Number number() {
    const std::string_view text = word();
    Number value{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size()) refuse("a number");
    return value;
  }

  ProcessIdentity process() {
    ProcessIdentity identity;
    identity.pid = number<std::uint32_t>();
    identity.started = number<std::uint64_t>();
    return identity;
  }

  [[nodiscard]] std::string_view rest() const { return rest_; }
  [[nodiscard]] bool at_last_line() const { return text_ == kLastLine; }
  void last_line() const {
    if (!at_last_line()) refuse("end, as the last line");
  }

 private:
  std::string_view text_;
  std::string_view line_;
  std::string_view rest_;
};

}  // namespace

std::string text_of(const KeepOrder& order) {
  return fmt::format("step {} {}\nslurmstepd {} {}\nuser {}\nkeeper {}\nsocket {}\n{}", order.job,
                     order.step, order.slurmstepd.pid, order.slurmstepd.started, order.user,
                     order.keeper_user, order.socket, kLastLine);
}

std::string text_of(const EnvelopeOrder& order) {
  std::string text = fmt::format("watcher {} {}\n", order.watcher.pid, order.watcher.started);
  for (const MovedClock& clock : order.clocks)
    text += fmt::format("clock {} {} {}\n", clock.policy, clock.pus.list(), text_of(clock.limits));
  text += kLastLine;
  return text;
}

KeepOrder parse_keep_order(std::string_view text) {
  OrderReader reader(text);
  KeepOrder order;
  reader.line("step");
  order.job = reader.number<std::uint32_t>();
  order.step = reader.number<std::uint32_t>();
  reader.line("slurmstepd");
  order.slurmstepd = reader.process();
  reader.line("user");
  order.user = reader.number<uid_t>();
  reader.line("keeper");
  order.keeper_user = reader.rest();
  reader.line("socket");
  order.socket = reader.rest();
  reader.last_line();
  return order;
}

EnvelopeOrder parse_envelope_order(std::string_view text) {
  OrderReader reader(text);
  EnvelopeOrder order;
  reader.line("watcher");
  order.watcher = reader.process();
  do {
    reader.line("clock");
    MovedClock clock;
    clock.policy = reader.number<std::uint32_t>();
    clock.pus = PuSet::parse(reader.word());
    const auto limits = parse_clock_limits(reader.word());
    if (!limits) reader.refuse("limits in kHz");
    clock.limits = *limits;
    order.clocks.push_back(clock);
  } while (!reader.at_last_line());
  return order;
}

}  // namespace huddle

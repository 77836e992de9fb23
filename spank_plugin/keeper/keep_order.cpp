#include "spank_plugin/keeper/keep_order.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/frequency/words.hpp"

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
    words_ = Words(line_);
    if (word() != key) refuse(key);
  }

  std::string_view word() {
    const auto word = words_.word();
    if (!word) refuse("another word");
    return *word;
  }

  template <class Number>
  Number number() {
    const auto value = words_.number<Number>();
    if (!value) refuse("a number");
    return *value;
  }

  ProcessIdentity process() {
    ProcessIdentity identity;
    identity.pid = number<std::uint32_t>();
    identity.started = number<std::uint64_t>();
    return identity;
  }

  [[nodiscard]] std::string_view rest() const { return words_.rest(); }
  [[nodiscard]] bool at_last_line() const { return text_ == kLastLine; }
  void last_line() const {
    if (!at_last_line()) refuse("end, as the last line");
  }

 private:
  std::string_view text_;
  std::string_view line_;
  Words words_;
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

#include "spank_plugin/keeper/keep_order.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/field_reader.hpp"

namespace huddle::keeper {
namespace {

constexpr std::string_view kKeepOrder = "the order to keep a step's clocks";
constexpr std::string_view kLastLine = "end\n";

processes::ProcessIdentity process_in(FieldReader& order) {
  processes::ProcessIdentity identity;
  identity.pid = order.number<std::uint32_t>();
  identity.started = order.number<std::uint64_t>();
  order.end_of_line();
  return identity;
}

}  // namespace

std::string text_of(const KeepOrder& order) {
  return fmt::format("step {} {}\nslurmstepd {} {}\nuser {}\nkeeper {}\nsocket {}\n{}", order.job,
                     order.step, order.slurmstepd.pid, order.slurmstepd.started, order.user,
                     order.keeper_user, order.socket, kLastLine);
}

std::string text_of(const EnvelopeOrder& order) {
  std::string text = fmt::format("watcher {} {}\n", order.watcher.pid, order.watcher.started);
  for (const frequency::MovedClock& clock : order.clocks)
    text += fmt::format("clock {} {} {}\n", clock.policy, clock.pus.list(), text_of(clock.limits));
  text += kLastLine;
  return text;
}

KeepOrder parse_keep_order(std::string_view text) {
  FieldReader reader(text, kKeepOrder);
  KeepOrder order;
  reader.next_line("step");
  order.job = reader.number<std::uint32_t>();
  order.step = reader.number<std::uint32_t>();
  reader.end_of_line();
  reader.next_line("slurmstepd");
  order.slurmstepd = process_in(reader);
  order.user = reader.number_of<uid_t>("user");
  reader.next_line("keeper");
  order.keeper_user = reader.rest();
  reader.next_line("socket");
  order.socket = reader.rest();
  reader.next_line("end");
  reader.end();
  return order;
}

EnvelopeOrder parse_envelope_order(std::string_view text) {
  FieldReader reader(text, kKeepOrder);
  EnvelopeOrder order;
  reader.next_line("watcher");
  order.watcher = process_in(reader);
  do {
    reader.next_line("clock");
    frequency::MovedClock clock;
    clock.policy = reader.number<std::uint32_t>();
    clock.pus = PuSet::parse(reader.field());
    const auto limits = frequency::parse_clock_limits(reader.field());
    if (!limits) reader.refuse("limits in kHz");
    clock.limits = *limits;
    reader.end_of_line();
    order.clocks.push_back(clock);
  } while (reader.remaining() != kLastLine);
  return order;
}

}  // namespace huddle::keeper

#include "aggregator/operations/calibrate/calibrated_machine.hpp"

#include "aggregator/predict/communication/link_fit.hpp"

namespace huddle {

void put_in(Machine& machine, const CalibrationResults& results) {
  for (const MessageTimes& entry : results.messages) {
    LinkTime& link = machine.links[static_cast<std::size_t>(entry.distance)];
    if (entry.pairs == 1) link = fitted_link(entry.times).value_or(link);
  }
  if (!results.messages.empty()) machine.messages = results.messages;
  if (!results.collectives.empty()) machine.collectives = results.collectives;
  if (!results.memory_streams.empty()) machine.memory_streams = results.memory_streams;
}

}  // namespace huddle

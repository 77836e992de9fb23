#include "aggregator/predict/communication/communication_time.hpp"

#include "aggregator/predict/communication/collective_time.hpp"
#include "aggregator/predict/communication/message_time.hpp"

namespace huddle {

Seconds communication_time(const Profile& profile, const CommunicationTable& table,
                           const std::vector<Location>& locations) {
  return message_time(profile, table.messages, locations) +
         collective_time(profile, table, locations);
}

Seconds communication_time(const Profile& profile, const Machine& machine,
                           const std::vector<Location>& locations) {
  return communication_time(profile, CommunicationTable(machine), locations);
}

}  // namespace huddle

#include "aggregator/commands/energy/asking.hpp"

#include <fmt/format.h>

#include "profiles/energyd/protocol/energy_client.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

EnergyAnswer answer_of_energyd(const EnergyRequest& request, const std::string& socket) {
  EnergyAnswer answer;
  try {
    answer = ask_energyd(request, socket);
  } catch (const SystemError& error) {
    throw Error(
        fmt::format("{}: huddle-energyd does not run on this node; the site starts it by "
                    "`systemctl enable --now huddle-energyd`, see huddle-energyd(8)",
                    error.what()));
  }
  if (!answer.refusal.empty()) throw Error(answer.refusal);
  return answer;
}

}  // namespace huddle

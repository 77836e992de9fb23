#include "aggregator/commands/energy/asking.hpp"

#include <fmt/format.h>

#include <cerrno>

#include "profiles/energyd/protocol/energy_answer.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle {

EnergyAnswer answer_of_energyd(const EnergyRequest& request, const std::string& socket) {
  EnergyAnswer answer;
  try {
    answer = ask_energyd(request, socket);
  } catch (const SystemError& error) {
    if (error.error_number() != ENOENT && error.error_number() != ECONNREFUSED) throw;
    throw Error(
        fmt::format("{}: huddle-energyd does not run on this node; the site starts it by "
                    "`systemctl enable --now huddle-energyd`, see huddle-energyd(8)",
                    error.what()));
  }
  if (!answer.refusal.empty() && answer.trouble && request.about != EnergyRequest::About::kNode)
    throw Error(fmt::format("{}: {}", answer.trouble->what, answer.trouble->advice));
  if (!answer.refusal.empty()) throw Error(answer.refusal);
  return answer;
}

}  // namespace huddle

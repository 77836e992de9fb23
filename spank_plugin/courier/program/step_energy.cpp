#include "spank_plugin/courier/program/step_energy.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "profiles/energyd/protocol/energy_client.hpp"
#include "profiles/formats/outcome/outcome.hpp"
#include "profiles/store/step_energies.hpp"
#include "profiles/store/store.hpp"
#include "profiles/vocabulary/environment.hpp"
#include "profiles/vocabulary/error.hpp"
#include "profiles/vocabulary/step_words.hpp"

namespace huddle {
namespace {

using Clock = std::chrono::steady_clock;

std::string name_of_node() {
  std::array<char, 256> node{};
  if (::gethostname(node.data(), node.size() - 1) != 0 || node[0] == '\0')
    throw Error("this node has no name");
  return node.data();
}

// A user gets answers once a second: other steps may have been asked for just now.
AnsweredStep ended_step(std::uint32_t job, const std::string& step) {
  constexpr std::chrono::seconds kPatience{5};
  constexpr std::chrono::milliseconds kPause{250};
  for (const auto deadline = Clock::now() + kPatience; Clock::now() < deadline;
       std::this_thread::sleep_for(kPause)) {
    const EnergyAnswer answer = ask_energyd({EnergyRequest::About::kJob, job});
    if (!answer.refusal.empty()) throw Error("huddle-energyd: " + answer.refusal);
    const auto found = std::find_if(answer.steps.begin(), answer.steps.end(),
                                    [&](const AnsweredStep& one) { return one.id.step == step; });
    if (found != answer.steps.end() && !found->running) return *found;
  }
  throw Error("huddle-energyd has not noticed its end");
}

}  // namespace

void leave_step_energy(const CourierOrder& order) {
  const Outcome outcome = parse_outcome(order.outcome, kOutcomePlace);
  const Store store(order.outcome_store);
  const StoreKey key{outcome.user, outcome.label, outcome.ranks};
  if (!store.has_folder(key)) throw Error("the store has no folder for it");
  const power::EnergyShare total = ended_step(order.job, std::to_string(order.step)).total();
  if (total.lost > Seconds{0})
    throw Error(fmt::format("huddle-energyd does not know it for {:.3g} s", total.lost.value));
  if (!(total.known > Seconds{0})) throw Error("huddle-energyd has no sensor that it can read");
  store_step_energy(store.folder(key), {order.job, order.step, name_of_node(), utc_now(),
                                        total.known, total.measured, total.attributed});
}

}  // namespace huddle

#include "spank_plugin/keeper/keeper_process.hpp"

#include <chrono>
#include <exception>

#include "profiles/processes/end_process.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/detached/detached_process.hpp"
#include "spank_plugin/keeper/keeper_socket.hpp"

namespace huddle::keeper {
namespace {

constexpr std::chrono::milliseconds kEndPatience{200};

}  // namespace

KeeperProcess::KeeperProcess(const std::filesystem::path& program, const KeepOrder& order)
    : socket_(order.socket),
      process_(program, {"keep", detached::step_name(order.job, order.step)}, text_of(order)) {
  if (identity().pid == 0) throw Error("the keeper of the step's clocks has ended at once");
}

void KeeperProcess::hand_over(const processes::ProcessIdentity& watcher,
                              const std::vector<frequency::MovedClock>& clocks) {
  if (clocks.empty()) throw Error("no clock is the step's own, with more than one frequency");
  process_.tell(text_of(EnvelopeOrder{watcher, clocks}));
}

void KeeperProcess::end() noexcept {
  process_.end(kEndPatience);
  try {
    processes::end_process(identity());
  } catch (const std::exception&) {  // no memory: whoever withdraws the claim does it
  }
  remove_keeper_socket(socket_);
}

}  // namespace huddle::keeper

#include "profiles/recorder/startup/recording_agreement.hpp"

#include <fmt/format.h>

#include <utility>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

RecordingAgreement::RecordingAgreement(const Destination& destination, Launch launch)
    : launch_(std::move(launch)), marker_(destination.landmark(current_user()), launch_.run) {
  if (launch_.rank != 0U || launch_.ranks == 1) return;
  if (launch_.ranks == 0 || launch_.run.empty()) return;
  try {
    destination.make_landmark(current_user(), launch_.ranks);
    marker_.show();
  } catch (const Error& failure) {
    trouble_ = failure.what();
  }
}

bool RecordingAgreement::complete() {
  if (was_spawned()) {
    withdraw();
    return false;
  }
  handshake_.emplace();
  const int ranks = handshake_->ranks();
  if (ranks == 1) {
    withdraw();
    return true;
  }
  if (handshake_->rank() != 0) {
    withdraw();  // the launcher's number was of another world
    return marker_.visible() && handshake_->answer();
  }
  if (!trouble_.empty()) throw Error(trouble_);
  if (!marker_.shown())
    throw Error(
        "not measured: the launcher's environment does not tell rank 0 its rank, the number of "
        "ranks and which run this is: start it with mpirun or srun");
  const int present = handshake_->call([this] { withdraw(); });
  if (present == ranks) return true;
  throw Error(fmt::format("not measured: only {} of {} ranks have the recorder", present, ranks));
}

bool RecordingAgreement::speaks() const {
  return handshake_ ? handshake_->rank() == 0 : launch_.rank.value_or(0) == 0;
}

void RecordingAgreement::end() noexcept {
  withdraw();
  if (handshake_) handshake_->end();
}

}  // namespace huddle::recorder

#include "profiles/recorder/startup/recording_agreement.hpp"

#include <fmt/format.h>

#include <utility>

#include "profiles/store/store.hpp"
#include "profiles/vocabulary/error.hpp"

namespace huddle::recorder {

Enrolment::Enrolment(const Destination& destination, Launch launch)
    : launch_(std::move(launch)), presence_(destination.landmark(current_user()), launch_.run) {
  if (launch_.rank != 0U || launch_.ranks == 1) return;
  if (launch_.ranks == 0 || launch_.run.empty()) return;
  try {
    destination.make_landmark(current_user(), launch_.ranks);
    presence_.show();
  } catch (const Error& failure) {
    trouble_ = failure.what();
  }
}

bool Enrolment::complete() {
  if (was_spawned()) {
    withdraw();
    return false;
  }
  roll_call_.emplace();
  const int ranks = roll_call_->ranks();
  if (ranks == 1) {
    withdraw();
    return true;
  }
  if (roll_call_->rank() != 0) {
    withdraw();  // the launcher's number was of another world
    return presence_.visible() && roll_call_->answer();
  }
  if (!trouble_.empty()) throw Error(trouble_);
  if (!presence_.shown())
    throw Error(
        "not measured: the launcher's environment does not tell rank 0 its rank, the number of "
        "ranks and which run this is: start it with mpirun or srun");
  const int present = roll_call_->call([this] { withdraw(); });
  if (present == ranks) return true;
  throw Error(fmt::format("not measured: only {} of {} ranks have the recorder", present, ranks));
}

bool Enrolment::speaks() const {
  return roll_call_ ? roll_call_->rank() == 0 : launch_.rank.value_or(0) == 0;
}

void Enrolment::end() noexcept {
  withdraw();
  if (roll_call_) roll_call_->end();
}

}  // namespace huddle::recorder

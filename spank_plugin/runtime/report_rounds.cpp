#include "spank_plugin/runtime/report_rounds.hpp"

#include "profiles/vocabulary/error.hpp"

namespace huddle::runtime {
namespace {

template <class Values>
int reduce(const Values& mine, Values& all, MPI_Op op, MPI_Comm comm, MPI_Request& request) {
  return HUDDLE_REAL(Iallreduce)(mine.data(), all.data(), static_cast<int>(mine.size()),
                                 recorder::double_datatype(), op, comm, &request);
}

}  // namespace

ReportRounds::ReportRounds() {
  if (HUDDLE_REAL(Comm_dup)(recorder::world_communicator(), &comm_) != MPI_SUCCESS ||
      HUDDLE_REAL(Comm_set_errhandler)(comm_, recorder::errors_return()) != MPI_SUCCESS)
    throw Error("clocks don't follow loads: MPI_Comm_dup failed");
  requests_.fill(recorder::no_request());
}

bool ReportRounds::start(const balancing::BalanceReport& mine) noexcept {
  if (failed_) return false;
  mine_ = mine;
  failed_ =
      reduce(mine_.maxima, all_.maxima, recorder::maximum(), comm_, requests_[0]) != MPI_SUCCESS ||
      reduce(mine_.sums, all_.sums, recorder::sum(), comm_, requests_[1]) != MPI_SUCCESS;
  under_way_ = !failed_;
  if (under_way_) ++rounds_;
  return under_way_;
}

std::optional<balancing::BalanceReport> ReportRounds::finished() noexcept {
  if (!under_way_) return {};
  int done = 0;
  failed_ = HUDDLE_REAL(Testall)(static_cast<int>(requests_.size()), requests_.data(), &done,
                                 MPI_STATUSES_IGNORE) != MPI_SUCCESS;
  if (failed_ || done == 0) return {};
  under_way_ = false;
  return all_;
}

void ReportRounds::wait() noexcept {
  if (!under_way_) return;
  failed_ = HUDDLE_REAL(Waitall)(static_cast<int>(requests_.size()), requests_.data(),
                                 MPI_STATUSES_IGNORE) != MPI_SUCCESS;
  under_way_ = false;
}

void ReportRounds::finish() noexcept {
  const std::array<double, 2> own = {static_cast<double>(rounds_), failed_ ? 1.0 : 0.0};
  std::array<double, 2> most = own;
  if (HUDDLE_REAL(Allreduce)(own.data(), most.data(), static_cast<int>(own.size()),
                             recorder::double_datatype(), recorder::maximum(),
                             comm_) != MPI_SUCCESS)
    return;
  // Who has failed takes part in no further round, and must not be waited for.
  if (most[1] > 0) return;
  wait();
  while (!failed_ && static_cast<double>(rounds_) < most[0]) {
    if (!start({})) return;
    wait();
  }
}

}  // namespace huddle::runtime

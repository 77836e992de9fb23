#include "profiles/programs/calibration/session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace huddle::calibration {
namespace {

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// Waiting ranks must not disturb those that measure.
void wait_quietly(MPI_Request request) {
  constexpr useconds_t kNap = 100;
  for (;;) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    usleep(kNap);
  }
}

// On all ranks.
double value_of_rank_0(double value) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  wait_quietly(request);
  return value;
}

double largest_of_all(double value) {
  double largest = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
  wait_quietly(request);
  return largest;
}

std::string head_of(const RankPlaces& places) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return R"("format":"huddle/calibration","version":1,"layout":")" + places.layout().name() +
         R"(","nodes":)" + std::to_string(places.nodes()) + R"(,"ranks":)" + std::to_string(ranks);
}

double combined(MPI_Comm comm, double value, MPI_Op combine) {
  double result = 0;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, combine, comm);
  return result;
}

}  // namespace

Team::Team(const std::vector<int>& members) {
  const auto at = std::find(members.begin(), members.end(), world_rank());
  MPI_Comm_split(MPI_COMM_WORLD, at == members.end() ? MPI_UNDEFINED : 0,
                 static_cast<int>(at - members.begin()), &comm_);
}

Team::~Team() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

int Team::rank() const {
  int rank = 0;
  MPI_Comm_rank(comm_, &rank);
  return rank;
}

int Team::size() const {
  int size = 0;
  MPI_Comm_size(comm_, &size);
  return size;
}

Session::Session(const Settings& settings, const RankPlaces& places) : seconds_(settings.seconds) {
  std::string failure;
  if (world_rank() == 0) {
    try {
      results_ = std::make_unique<ResultLines>(settings.results, head_of(places));
    } catch (const std::exception& error) {
      failure = error.what();
    }
  } else {
    static_cast<void>(head_of(places));
  }
  if (value_of_rank_0(failure.empty() ? 0 : 1) > 0)
    throw BadSettings(failure.empty() ? "rank 0 can't use the file of results" : failure);
  begin_ = MPI_Wtime();
}

void Session::announce(std::size_t measurements) {
  announced_ = measurements;
  if (results_) results_->add_line(R"("planned":)" + std::to_string(measurements));
}

double Session::share_of_time(const std::string& key) {
  const std::size_t left = announced_ - std::min(announced_, seen_) + 1;
  if (!results_ || results_->has(key)) return 0;
  const double remaining = begin_ + seconds_ - MPI_Wtime();
  if (remaining <= 0) {
    ++skipped_;
    return 0;
  }
  // Those that take less than their share leave more to the others; none gets very much more.
  constexpr double kMost = 0.25;
  return std::min(kMost, remaining / static_cast<double>(left));
}

void Session::measure(const Team& team, const std::string& key, const std::string& name,
                      const std::function<double(double)>& measure) {
  ++seen_;
  const double seconds = value_of_rank_0(share_of_time(key));
  if (seconds <= 0) return;
  const double result = largest_of_all(team.has_me() ? measure(seconds) : 0);
  if (results_ && result > 0) results_->add(key, name, result);
}

void Session::finish() {
  if (results_) results_->add_line(R"("left_out_for_want_of_time":)" + std::to_string(skipped_));
}

double undisturbed_seconds(MPI_Comm comm, double seconds, MPI_Op combine,
                           const std::function<double(int)>& turn) {
  // Short ones, so that some fall between what else the system does.
  constexpr int kMostTurns = 50;
  constexpr double kMostRepetitions = 100000;
  turn(1);  // connections are made, pages touched
  double first = combined(comm, turn(1), MPI_MAX);
  for (int i = 0; i < 2 && first < seconds / 4; ++i)
    first = std::min(first, combined(comm, turn(1), MPI_MAX));
  first = std::max(first, 1e-9);
  const int turns = static_cast<int>(std::clamp(seconds / first, 1.0, double{kMostTurns}));
  int repetitions = static_cast<int>(std::clamp(seconds / turns / first, 1.0, kMostRepetitions));
  MPI_Bcast(&repetitions, 1, MPI_INT, 0, comm);
  const double begin = MPI_Wtime();
  double least = 0;
  int left = turns;
  while (left > 0) {
    const double taken = combined(comm, turn(repetitions), combine);
    least = left == turns ? taken : std::min(least, taken);
    // The first guess may have been far too short.
    left = MPI_Wtime() - begin < 2 * seconds ? left - 1 : 0;
    MPI_Bcast(&left, 1, MPI_INT, 0, comm);
  }
  return least;
}

}  // namespace huddle::calibration

#include "aggregator/waitstates/distributed/mpi_exchange.hpp"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <thread>
#include <utility>

namespace huddle {
namespace {

constexpr int kParcelTag = 1;
constexpr int kGatherTag = 2;

class MpiExchange : public Exchange {
 public:
  MpiExchange() {
    // Messages of an own communicator can't be taken for others'.
    MPI_Comm_dup(MPI_COMM_WORLD, &all_);
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &size_);
  }
  ~MpiExchange() override {
    for (Leaving& leaving : leaving_) MPI_Wait(&leaving.request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&all_);
  }
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  [[nodiscard]] std::uint32_t process() const override { return static_cast<std::uint32_t>(rank_); }
  [[nodiscard]] std::uint32_t processes() const override {
    return static_cast<std::uint32_t>(size_);
  }

  void send(std::uint32_t to, std::string bytes) override {
    forget_what_left();
    Leaving& leaving = leaving_.emplace_back();
    leaving.bytes = std::move(bytes);
    MPI_Isend(leaving.bytes.data(), static_cast<int>(leaving.bytes.size()), MPI_BYTE,
              static_cast<int>(to), kParcelTag, all_, &leaving.request);
  }

  std::vector<Parcel> receive(bool wait) override {
    std::vector<Parcel> parcels;
    for (int tries = 0;; ++tries) {
      while (take_one(parcels)) continue;
      if (!parcels.empty() || !wait) break;
      forget_what_left();
      give_way(tries);
    }
    return parcels;
  }

  std::uint64_t sum(std::uint64_t value) override {
    std::uint64_t all = 0;
    MPI_Allreduce(&value, &all, 1, MPI_UINT64_T, MPI_SUM, all_);
    return all;
  }

  std::uint64_t least(std::uint64_t value) override {
    std::uint64_t all = 0;
    MPI_Allreduce(&value, &all, 1, MPI_UINT64_T, MPI_MIN, all_);
    return all;
  }

  std::vector<std::string> gather(std::string bytes) override {
    if (rank_ != 0) {
      send_long(bytes);
      return {};
    }
    std::vector<std::string> all(static_cast<std::size_t>(size_));
    all[0] = std::move(bytes);
    for (int from = 1; from < size_; ++from)
      all[static_cast<std::size_t>(from)] = receive_long(from);
    return all;
  }

 private:
  struct Leaving {
    std::string bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void forget_what_left() {
    while (!leaving_.empty()) {
      int gone = 0;
      MPI_Test(&leaving_[0].request, &gone, MPI_STATUS_IGNORE);
      if (gone == 0) return;
      leaving_.pop_front();
    }
  }

  bool take_one(std::vector<Parcel>& parcels) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kParcelTag, all_, &there, &status);
    if (there == 0) return false;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Parcel& parcel = parcels.emplace_back();
    parcel.from = static_cast<std::uint32_t>(status.MPI_SOURCE);
    parcel.bytes.resize(static_cast<std::size_t>(size));
    MPI_Recv(parcel.bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, kParcelTag, all_,
             MPI_STATUS_IGNORE);
    return true;
  }

  // There may be more processes than cores: whoever waits lets others work. It sleeps only after
  // milliseconds: an answer takes microseconds, and a nap at each step takes longer than the step.
  static void give_way(int tries) {
    constexpr int kAwake = 20'000;
    constexpr auto kNap = std::chrono::microseconds(50);
    if (tries < kAwake) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kNap);
    }
  }

  // In pieces, because MPI counts in int.
  static constexpr std::uint64_t kPiece = 1U << 30U;

  void send_long(std::string& bytes) {
    std::uint64_t size = bytes.size();
    MPI_Send(&size, 1, MPI_UINT64_T, 0, kGatherTag, all_);
    for (std::uint64_t at = 0; at < size; at += kPiece)
      MPI_Send(bytes.data() + at, static_cast<int>(std::min(kPiece, size - at)), MPI_BYTE, 0,
               kGatherTag, all_);
  }

  std::string receive_long(int from) {
    std::uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, from, kGatherTag, all_, MPI_STATUS_IGNORE);
    std::string bytes(size, '\0');
    for (std::uint64_t at = 0; at < size; at += kPiece)
      MPI_Recv(bytes.data() + at, static_cast<int>(std::min(kPiece, size - at)), MPI_BYTE, from,
               kGatherTag, all_, MPI_STATUS_IGNORE);
    return bytes;
  }

  MPI_Comm all_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  std::deque<Leaving> leaving_;
};

}  // namespace

// Where failing processes meet: not in the way of what others still do.
struct MpiSession::Failures {
  MPI_Comm all = MPI_COMM_NULL;
};

MpiSession::MpiSession(int& argc, char**& argv) : failures_(std::make_unique<Failures>()) {
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &failures_->all);
}

MpiSession::~MpiSession() {
  MPI_Comm_free(&failures_->all);
  MPI_Finalize();
}

bool MpiSession::all_failed(std::chrono::seconds patience) const {
  constexpr std::chrono::milliseconds kPause{5};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(failures_->all, &request);
  int met = 0;
  while (MPI_Test(&request, &met, MPI_STATUS_IGNORE) == MPI_SUCCESS && met == 0 &&
         std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(kPause);
  return met != 0;
}

bool MpiSession::is_first() const {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

void MpiSession::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

std::unique_ptr<Exchange> MpiSession::exchange() const {
  return std::make_unique<MpiExchange>();
}

}  // namespace huddle

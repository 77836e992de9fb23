#pragma once

// The calls of MPI that ask whether a message has come: probes, and tests of requests.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace huddle::waitstates {

/// What a function of MPI asks.
enum class Asking : std::uint8_t {
  kNothing,
  kTest,                 ///< MPI_Test, Testall, Testany, Testsome: returns at once
  kProbe,                ///< MPI_Probe
  kPollingProbe,         ///< MPI_Iprobe: returns at once
  kMatchedProbe,         ///< MPI_Mprobe
  kPollingMatchedProbe,  ///< MPI_Improbe: returns at once
  kMatchedReceive,       ///< MPI_Mrecv, Imrecv: takes what one of the two before has found
  kStatus,               ///< MPI_Request_get_status: returns at once, and leaves the request
  kWindowTest,           ///< MPI_Win_test: returns at once
};

/// Of a region of MPI by its name: "MPI_Test", "PMPI_Test", "mpi_test_".
Asking asking_of(std::string_view region);

/// Whether it returns at once, so that who waits asks again and again.
bool is_poll(Asking asking);
/// Whether it looks for a message that a receive takes later.
bool is_probe(Asking asking);

/// A receive, as probes need to know it.
struct ReceivePost {
  std::uint64_t number = 0;  ///< how many its location posted before
  bool matched = false;      ///< by MPI_Mrecv or MPI_Imrecv
  std::uint64_t probe = 0;   ///< the matched probe that found it, as PastAsk has it; 0: not known
  bool posted = true;        ///< false: it begins with the probe, and is posted where it ends
};

/// A call that asked and is over. A trace does not show what a probe found: the receive that takes
/// the message does. A test that found nothing may be one of a loop.
struct PastAsk {
  std::uint64_t enter = 0;
  std::uint64_t leave = 0;
  std::uint64_t activity = 0;
  std::uint64_t receives = 0;  ///< how many its location had posted
  std::uint32_t path = 0;
  Asking asking = Asking::kNothing;
  std::uint64_t probe =
      0;  ///< counts a location's matched probes from 1, where the trace shows what they found
};

/// The last calls of one location that asked, as long as it is not known what for.
class PastAsks {
 public:
  /// Of more than this the oldest are forgotten: nobody waited there.
  static constexpr std::size_t kMost = 64;

  void add(const PastAsk& ask);

  /// Takes the probes that waited for a message sent at `sent`, which the receive took, oldest
  /// first: the one that found it, if it was sent during that, and of polls those before it from
  /// the same place. The one that found it is the first that ended after it was sent: of probes
  /// that leave their message to any receive, since the receive posted before; of the others, of
  /// all.
  std::vector<PastAsk> take_probes(std::uint64_t sent, const ReceivePost& receive);

  /// Takes the tests of call path `path` that found nothing, of the loop that ends with a test that
  /// completes the receive: those that began after it was posted, and before `sent`.
  std::vector<PastAsk> take_tests(std::uint32_t path, std::uint64_t sent,
                                  const ReceivePost& receive);

 private:
  std::deque<PastAsk> asks_;
};

}  // namespace huddle::waitstates

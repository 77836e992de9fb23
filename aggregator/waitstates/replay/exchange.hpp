#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace huddle {

/// What the processes of one analysis tell each other. Without MPI there is one process, which
/// never tells itself anything. One thread's.
class Exchange {
 public:
  virtual ~Exchange() = default;
  [[nodiscard]] virtual std::uint32_t process() const = 0;
  [[nodiscard]] virtual std::uint32_t processes() const = 0;

  struct Parcel {
    std::uint32_t from = 0;
    std::string bytes;
  };
  /// Hands `bytes` over to another process; comes back at once. Parcels of one process to another
  /// arrive in the order they were sent in.
  virtual void send(std::uint32_t to, std::string bytes) = 0;
  /// What arrived meanwhile; waits for at least one parcel if `wait`.
  virtual std::vector<Parcel> receive(bool wait) = 0;
  /// Collective: the sum of all `value`.
  virtual std::uint64_t sum(std::uint64_t value) = 0;
  /// Collective: the least of all `value`. Made of 64 sums, where nothing better is known.
  virtual std::uint64_t least(std::uint64_t value);
  /// Collective: on process 0 what each gave, by process; elsewhere nothing.
  virtual std::vector<std::string> gather(std::string bytes) = 0;
};

/// For a single process.
std::unique_ptr<Exchange> one_process();

}  // namespace huddle

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace huddle {

/// Communication between the processes of one analysis. Without MPI there is one process, which
/// sends nothing to itself. Not thread-safe.
class Exchange {
 public:
  virtual ~Exchange() = default;
  [[nodiscard]] virtual std::uint32_t process() const = 0;
  [[nodiscard]] virtual std::uint32_t processes() const = 0;

  struct Parcel {
    std::uint32_t from = 0;
    std::string bytes;
  };
  /// Sends `bytes` to another process and returns at once. Parcels from one process to another
  /// arrive in the order they were sent in.
  virtual void send(std::uint32_t to, std::string bytes) = 0;
  /// The parcels that have arrived; waits for at least one parcel if `wait`.
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

/// Collective: the elementwise OR of all processes' `values`. They are equally long, and no element
/// is true on two processes.
void allreduce_or(Exchange& exchange, std::vector<bool>& values);

}  // namespace huddle

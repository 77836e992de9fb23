#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace huddle::calibration {

/// What one rank of a training kernel computes, the same on every rank and for every number of
/// ranks. A pass is the work of one iteration; how much that is, its factory says.
///
/// Nothing in here knows MPI. An object is used by one thread.
class Computation {
 public:
  Computation() = default;
  virtual ~Computation() = default;
  Computation(const Computation&) = delete;
  Computation& operator=(const Computation&) = delete;

  /// Part `part` of `parts` of pass `pass`. Passes are numbered from 0, none is left out, and all
  /// parts of a pass come in order. Only a computation that a wavefront runs through has more than
  /// one part.
  virtual void compute(std::uint64_t pass, unsigned part, unsigned parts) = 0;
  /// After `passes` whole passes: what is wrong with the result, found and expected; empty if it is
  /// right.
  [[nodiscard]] virtual std::string wrong(std::uint64_t passes) const = 0;
};

using ComputationPtr = std::unique_ptr<Computation>;

/// "NAME: found X, expected Y", as wrong() says it.
std::string difference(const char* what, double found, double expected);
/// The same for whole numbers.
std::string difference(const char* what, std::uint64_t found, std::uint64_t expected);

}  // namespace huddle::calibration

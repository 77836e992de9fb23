#pragma once

// The C++ bindings that MPI-3 removed would only add a library and warnings.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace huddle::calibration {

/// The shape in which the ranks of a kernel exchange data after each pass.
enum class Shape : std::uint8_t {
  kHalo2d,        ///< with the four neighbours on a periodic grid
  kHalo3d,        ///< with the six
  kButterfly,     ///< with the rank whose number differs in one bit, one bit after the other
  kWavefront,     ///< from one corner of a grid to the opposite one, part by part of the pass
  kAllToAll,      ///< among all
  kRowsAllToAll,  ///< among the ranks of a row of a grid
  kAllreduce,     ///< sums over all
  kRing,          ///< a broadcast, then each to its right neighbour
};

std::string_view name_of(Shape shape);

/// In how many parts a pass is computed: more than one for a wavefront only.
unsigned parts_of(Shape shape);

/// The exchange of one rank. Every one ends with a collective or with a call that completes several
/// requests, so that tools that watch MPI calls see passes begin and end; on one rank as well.
/// Ranks stamp what they send with their number and the pass, and look at what they received. What
/// a rank computes for that is next to nothing and does not grow with the number of ranks, but for
/// all-to-alls, by two numbers a rank.
class Exchange {
 public:
  Exchange() = default;
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  /// Around a part of a pass: only a wavefront does anything.
  virtual void before_part(std::uint64_t /*pass*/, unsigned /*part*/) {}
  virtual void after_part(std::uint64_t /*pass*/, unsigned /*part*/) {}
  /// After a pass. Collective.
  virtual void exchange(std::uint64_t pass) = 0;

  /// The first thing that was received wrong; empty if everything was right.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 protected:
  void check(const char* what, double found, double expected);

 private:
  std::string wrong_;
};

/// `bytes` of each message; of an all-to-all, what a rank has for each other one. Collective;
/// between MPI_Init and MPI_Finalize, as is the destructor.
std::unique_ptr<Exchange> make_exchange(Shape shape, std::size_t bytes);

}  // namespace huddle::calibration

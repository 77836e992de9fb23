#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "aggregator/efficiency/run_efficiency.hpp"
#include "profiles/formats/profile/openmp_regions.hpp"
#include "profiles/vocabulary/quantities.hpp"

namespace huddle::efficiency {

/// Time of threads outside MPI, summed over ranks, by what it went for: a rank's first thread works
/// between regions, and the others wait for it.
class OpenMpTime {
 public:
  /// Adds a rank of so many threads that was outside MPI for `outside`, of which it spent in
  /// `regions` what these say. Precondition: threads >= 1.
  void add(std::span<const OpenMpRegionRecord> regions, std::uint32_t threads, Seconds outside);

  /// True if the records are of more time than their rank had: of several threads that began
  /// regions at once, or with MPI inside.
  [[nodiscard]] bool contradicts() const { return contradicts_; }
  /// The share of the time in regions in which the work of threads was looked at; 1 without any.
  [[nodiscard]] double known_share() const;
  /// Nothing if there was no time, records contradict, or less than nine tenths of the time in
  /// regions are known; what is not known of them is taken to be like the rest. Without regions all
  /// but the first thread of a rank are lost to serialisation.
  [[nodiscard]] std::optional<OpenMpEfficiency> efficiency() const;

 private:
  [[nodiscard]] Seconds known() const { return useful_ + imbalance_ + scheduling_; }

  Seconds serial_;       // of first threads
  Seconds serial_lost_;  // of the others meanwhile, and of threads beside a smaller team
  Seconds useful_;       // in regions
  Seconds imbalance_;
  Seconds scheduling_;
  Seconds unknown_;  // of all threads in regions whose work is not known
  bool contradicts_ = false;
};

/// The largest team of a rank's regions; 1 if it has none.
std::uint32_t threads_of(std::span<const OpenMpRegionRecord> regions);

}  // namespace huddle::efficiency

#pragma once

#include <span>
#include <vector>

#include "aggregator/predict/hybrid/phase_samples.hpp"

namespace huddle {

/// The independent variables of equations (7) and (8) of Li et al., "Hybrid MPI/OpenMP Power-Aware
/// Computing", for one phase: the time of each sample, that time x each of its event rates, for
/// each pair of samples the product of each event's rates and the product of their times. Times in
/// units of `unit`: 1 s is the equation as it is printed; the first sample's time makes phases of
/// different length alike. The constants l and sigma are the regression's own.
std::vector<double> published_terms(std::span<const TeamSample> samples, Seconds unit);

}  // namespace huddle

#pragma once

#include <span>
#include <vector>

#include "aggregator/predict/hybrid/phase_samples.hpp"

namespace huddle::predict {

/// The samples that the published method takes of a node: all cores at the top clock; half of them
/// at the second clock, spread over all packages; and half of them at the second clock, on as many
/// packages as they fill. Where there is one package, placements differ in no way that a
/// TeamConfiguration tells: the last has a quarter of the cores instead. The first two tell most:
/// on half of the packages, half of the cores have half of the flow to memory, and what is bound by
/// memory looks like what is not. `packed`: the team keeps the size of all cores, and its threads
/// share cores; otherwise it has a thread for each core.
std::vector<hybrid::TeamConfiguration> published_samples(const hybrid::TeamNode& node,
                                                         Hertz second_clock, bool packed);

/// The independent variables of equations (7) and (8) of Li et al., "Hybrid MPI/OpenMP Power-Aware
/// Computing", for one phase: the time of each sample, that time x each of its event rates, for
/// each pair of samples the product of each event's rates and the product of their times. Times in
/// units of `unit`: 1 s is the equation as it is printed; the first sample's time makes phases of
/// different length alike. The constants l and sigma are the regression's own.
std::vector<double> published_terms(std::span<const TeamSample> samples, Seconds unit);

}  // namespace huddle::predict

#pragma once

// Counts of single events, among the columns of a rank's record.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace huddle {

/// An event's name without the PMU in front that it has on hybrid machines: "cycles" of
/// "cpu_core/cycles". Names such as "cpu/event=0x3c/" stay as they are.
std::string_view bare_event_name(std::string_view event);

/// Returns the count in `counts`, which belong to the `events` of the same place, of the event with
/// this bare name, on all kinds of cores together; nothing if it was not counted.
std::optional<double> count_of(const std::vector<std::string>& events,
                               const std::vector<double>& counts, std::string_view event);

/// Returns the counts of two events that are to be compared, on those kinds of cores on which both
/// were counted; nothing if there are none.
std::optional<std::pair<double, double>> counts_of_both(const std::vector<std::string>& events,
                                                        const std::vector<double>& counts,
                                                        std::string_view one,
                                                        std::string_view other);

}  // namespace huddle

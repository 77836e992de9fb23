#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "aggregator/forecast/table/measurement_csv.hpp"

namespace huddle {

/// Counts a row that is left out for `reason`; the first one's place is kept, as `place()` gives
/// it.
template <class Place>
void count_left_out(std::vector<LeftOutRows>& left_out, std::string_view reason, Place&& place) {
  for (LeftOutRows& known : left_out)
    if (known.reason == reason) {
      ++known.rows;
      return;
    }
  left_out.push_back({std::string(reason), 1, place()});
}

}  // namespace huddle

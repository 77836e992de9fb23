#include "aggregator/predict/communication/message_table.hpp"

#include <algorithm>
#include <cmath>

#include "aggregator/predict/communication/time_curve.hpp"

namespace huddle::predict {

MessageTable::MessageTable(const Machine& machine) : links_(machine.links) {
  for (const MessageTimes& entry : machine.messages) {
    LinkTime& link = links_[static_cast<std::size_t>(entry.distance)];
    if (entry.pairs > 1 || link.origin != Origin::kAssumed) continue;
    link = fitted_link(entry.times).value_or(link);
  }
  for (const MessageTimes& entry : machine.messages)
    rows_[static_cast<std::size_t>(entry.distance)].push_back(
        {entry.pairs, TimeCurve(entry.times, link(entry.distance))});
  between_nodes_ = link(Distance::kNetwork).bandwidth;
  for (const Row& row : rows_at(Distance::kNetwork))
    between_nodes_ =
        std::max(between_nodes_, BytesPerSecond{row.pairs * row.curve.bytes_per_second_beyond()});
}

TimeCurve MessageTable::curve(Distance distance, std::uint32_t pairs) const {
  const std::vector<Row>& rows = rows_at(distance);
  const auto above =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.pairs >= pairs; });
  if (above != rows.end() && (above->pairs == pairs || above == rows.begin())) return above->curve;
  if (rows.size() == 1) return rows.front().curve;
  const bool beyond = above == rows.end();
  const Row& high = beyond ? rows.back() : *above;
  const Row& low = *(&high - 1);
  const double span = std::log2(static_cast<double>(high.pairs) / low.pairs);
  const double way = std::log2(static_cast<double>(pairs) / (beyond ? high : low).pairs);
  const auto seconds_at = [&](double bytes) {
    const double from = low.curve.seconds(bytes);
    const double to = high.curve.seconds(bytes);
    const double growth = std::log2(to / from) / span;
    return beyond ? to * std::exp2(std::clamp(growth, 0.0, 1.0) * way)
                  : from * std::exp2(growth * way);
  };
  return {sizes_of_both(low.curve.sizes(), high.curve.sizes()), seconds_at, link(distance)};
}

}  // namespace huddle::predict

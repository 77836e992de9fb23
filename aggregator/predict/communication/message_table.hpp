#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "aggregator/predict/communication/time_curve.hpp"
#include "profiles/formats/machine/machine.hpp"

namespace huddle::predict {

/// Times of messages by distance, number of pairs that exchange them at the same time, and size
/// (task aggregation, section V: the prediction table). Immutable.
class MessageTable {
 public:
  /// Keeps nothing of `machine`.
  explicit MessageTable(const Machine& machine);

  /// True if the machine has times at that distance, with whatever number of pairs and sizes.
  [[nodiscard]] bool has(Distance distance) const { return !rows_at(distance).empty(); }

  /// The times while `pairs` (>= 1) pairs exchange messages. Between two numbers of pairs that are
  /// in the table the logarithm of the time goes straight over that of the number; beyond the
  /// largest it goes on as it did before, but never falls and never grows faster than the number.
  /// With fewer than the smallest it stays. Precondition: has(distance).
  [[nodiscard]] TimeCurve curve(Distance distance, std::uint32_t pairs) const;

  /// Latency and bandwidth: the machine's; if it only assumes them and has times of pairs
  /// alone, the fit to those (fitted_link).
  [[nodiscard]] const LinkTime& link(Distance distance) const {
    return links_[static_cast<std::size_t>(distance)];
  }

  /// The most that pairs together got across the network between two nodes; without a table, the
  /// bandwidth of one message.
  [[nodiscard]] BytesPerSecond bandwidth_between_nodes() const { return between_nodes_; }

 private:
  struct Row {
    std::uint32_t pairs = 1;
    TimeCurve curve;
  };

  [[nodiscard]] const std::vector<Row>& rows_at(Distance distance) const {
    return rows_[static_cast<std::size_t>(distance)];
  }

  std::array<LinkTime, kDistances> links_;
  /// Rows by distance; ascending by pairs.
  std::array<std::vector<Row>, kDistances> rows_;
  BytesPerSecond between_nodes_;
};

}  // namespace huddle::predict

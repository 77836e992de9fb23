#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace huddle {

/// A metric with its samples, in the text format of Prometheus, which wants them all together.
class MetricFamily {
 public:
  enum class Kind : std::uint8_t {
    kGauge,
    kCounter,  ///< only grows; its name ends in "_total"
  };
  /// Throws std::bad_alloc only, as all of it does.
  MetricFamily(std::string_view name, std::string_view help, Kind kind = Kind::kGauge);

  /// A sample. What a label is of may be any text.
  void add(double value, const std::vector<std::pair<std::string_view, std::string>>& labels = {});
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string name_;
  std::string text_;
};

}  // namespace huddle

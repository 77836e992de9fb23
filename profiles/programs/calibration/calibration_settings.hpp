#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace huddle::calibration {

/// The shape of a node: packages, dies in each, cores in each die.
struct Layout {
  int packages = 1;
  int dies = 1;
  int cores = 1;

  [[nodiscard]] int size() const { return packages * dies * cores; }
  /// "2:1:2".
  [[nodiscard]] std::string name() const;
};

/// The command line was wrong.
class BadSettings : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Settings {
  /// Where results go, and where those of an earlier run are.
  std::string results;
  /// About how long it may take.
  double seconds = 60;
  /// Layout of every node. Without cores: unknown, and each PU that a rank is bound to is a core of
  /// one die.
  Layout layout;
  bool layout_told = false;
  /// A PU of each core of a node, in the order of packages, dies and cores; empty: unknown.
  std::vector<int> cores;
  /// Ranks fill the cores of one node after the other, whatever the system says.
  bool by_rank = false;
  bool messages = true;
  bool collectives = true;
  bool streams = true;
  /// The largest message, and the largest contribution to a collective.
  std::size_t largest_bytes = std::size_t{4} << 20U;
  /// Bytes of each of the three arrays that a rank streams over.
  std::size_t stream_bytes = std::size_t{32} << 20U;
  bool help = false;
};

extern const char* const kUsage;

/// Throws BadSettings.
Settings settings_from(int argc, char** argv);

}  // namespace huddle::calibration

#include "profiles/programs/calibration/calibration_settings.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace huddle::calibration {
namespace {

template <class Number>
Number number_from(std::string_view text, std::string_view option, Number least) {
  Number value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < least)
    throw BadSettings(std::string(option) + " " + std::string(text) + ": expected a number from " +
                      std::to_string(least));
  return value;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Layout layout_from(std::string_view text) {
  const auto parts = parts_of(text, ':');
  if (parts.size() != 3)
    throw BadSettings("--layout " + std::string(text) +
                      ": expected packages:dies:cores, such as 2:1:4");
  return {number_from(parts[0], "--layout", 1), number_from(parts[1], "--layout", 1),
          number_from(parts[2], "--layout", 1)};
}

void choose(Settings& settings, std::string_view list) {
  settings.messages = settings.collectives = settings.streams = false;
  for (const std::string_view part : parts_of(list, ',')) {
    if (part == "messages") {
      settings.messages = true;
    } else if (part == "collectives") {
      settings.collectives = true;
    } else if (part == "streams") {
      settings.streams = true;
    } else {
      throw BadSettings("--what " + std::string(part) +
                        ": expected messages, collectives or streams");
    }
  }
}

void set(Settings& settings, const std::string& option, const std::string& value) {
  if (option == "--results") {
    settings.results = value;
  } else if (option == "--seconds") {
    settings.seconds = number_from(value, option, 0.0);
  } else if (option == "--layout") {
    settings.layout = layout_from(value);
    settings.layout_told = true;
  } else if (option == "--cores") {
    for (const std::string_view core : parts_of(value, ','))
      settings.cores.push_back(number_from(core, option, 0));
  } else if (option == "--what") {
    choose(settings, value);
  } else if (option == "--largest") {
    settings.largest_bytes = number_from(value, option, std::size_t{8});
  } else if (option == "--stream-bytes") {
    settings.stream_bytes = number_from(value, option, std::size_t{4096});
  } else {
    throw BadSettings(option + ": there is no such option, see --help");
  }
}

void check(const Settings& settings) {
  if (settings.help) return;
  if (settings.results.empty()) throw BadSettings("--results FILE is missing, see --help");
  if (settings.by_rank && !settings.layout_told) throw BadSettings("--by-rank needs --layout");
  if (!settings.cores.empty() && !settings.layout_told) throw BadSettings("--cores needs --layout");
  if (!settings.cores.empty() && static_cast<int>(settings.cores.size()) != settings.layout.size())
    throw BadSettings("--cores names " + std::to_string(settings.cores.size()) +
                      " cores, --layout has " + std::to_string(settings.layout.size()));
}

}  // namespace

const char* const kUsage =
    R"(usage: mpirun -n RANKS [one rank a core] huddle_calibration --results FILE [options]
Measures what messages, collectives and memory streams take between the cores of
nodes that are alike. huddle machine calibrate starts it, and makes a machine
document of the results.
  --results FILE     one line of JSON for each result; what is there already is kept
                     and not measured again
  --seconds S        about how long it may take (default 60)
  --layout P:D:C     packages of a node, dies of a package, cores of a die (default:
                     the PUs that ranks are bound to are cores of one die)
  --cores PU,...     a PU of each core of a node, in the order of packages, dies and
                     cores; each rank finds itself among them by its binding (default:
                     0, 1, 2, ...)
  --by-rank          ranks fill the cores of node after node, whatever they are bound
                     to: for simulators
  --what LIST        messages, collectives, streams (default: all three)
  --largest BYTES    the largest message or contribution (default 4194304)
  --stream-bytes N   of each of three arrays a rank streams over; larger than the
                     caches (default 33554432)
)";

std::string Layout::name() const {
  return std::to_string(packages) + ":" + std::to_string(dies) + ":" + std::to_string(cores);
}

Settings settings_from(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--help" || option == "-h") {
      settings.help = true;
    } else if (option == "--by-rank") {
      settings.by_rank = true;
    } else if (i + 1 == argc) {
      throw BadSettings(option + ": there is no such option, or its value is missing; see --help");
    } else {
      set(settings, option, argv[++i]);
    }
  }
  check(settings);
  return settings;
}

}  // namespace huddle::calibration

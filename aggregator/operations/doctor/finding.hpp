#pragma once

// Findings of the checks of huddle doctor, merged over nodes, and printed.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::doctor {

enum class Verdict : std::uint8_t {
  kOk,       ///< as it should be, or it does not matter here
  kWarning,  ///< Huddle works, but less well than it could
  kWrong,    ///< something of Huddle does not work
};

/// "ok", "warning" or "wrong".
std::string_view name_of(Verdict verdict);

/// The finding of one check.
struct Finding {
  /// The check's name, one word of lower-case letters: findings of one check stay together.
  std::string check;
  Verdict verdict = Verdict::kOk;
  /// The finding as one sentence without a full stop.
  std::string what;
  /// The remedy; empty if there is nothing to do.
  std::string advice;
  /// The nodes on which this was found; empty where it holds for the site or for this machine.
  std::vector<std::string> nodes;

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// A finding of this machine, or of the site.
Finding ok(std::string check, std::string what);
Finding warning(std::string check, std::string what, std::string advice);
Finding wrong(std::string check, std::string what, std::string advice);

/// Findings that differ in their nodes only become one; those of one check stand together, in the
/// order in which the checks first appear.
std::vector<Finding> merged(const std::vector<Finding>& findings);

/// "n0", "n0, n1 and n2", or "n0, n1, n2 and 5 more"; empty without nodes.
std::string text_of_nodes(const std::vector<std::string>& nodes);

/// The findings as lines for people, ended by a line that counts them.
std::string to_text(const std::vector<Finding>& findings);

/// The findings as docs/formats/doctor.md says.
std::string to_json(const std::vector<Finding>& findings);

/// True if something is wrong; warnings are not.
bool anything_wrong(const std::vector<Finding>& findings);

/// The finding of a check of one machine, and its facts that should be the same on all nodes.
struct Examined {
  Finding finding;
  /// Facts by the names in node_report.hpp.
  std::map<std::string, std::string> facts;
};

}  // namespace huddle::doctor

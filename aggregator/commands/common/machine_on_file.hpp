#pragma once

#include <string>
#include <string_view>

#include "profiles/formats/machine/machine.hpp"

namespace huddle::cli {

/// The name of the machine that the command runs on.
inline constexpr std::string_view kThisMachine = "this";

/// The machine that the command runs on: its topology and its memory; nobody knows how many nodes
/// like it there are, and what messages take is assumed. Throws Error.
Machine this_machine();

/// The topology that a user means: hwloc's synthetic form, a file that holds one or an XML
/// document, or, if empty, this machine's. Not checked. Throws SystemError, FormatError.
std::string topology_text(const std::string& given);

/// The machine document that a user means: "this", a file, or the name of a machine that comes with
/// Huddle (in the nearest share/huddle/machines
/// beside the executable's folder or one above it).
/// Throws UsageError that lists the names if it is neither, and what reading the file throws.
Machine machine_named(const std::string& file_or_name);

}  // namespace huddle::cli

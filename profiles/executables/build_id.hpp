#pragma once

#include <string>
#include <string_view>

namespace huddle::executables {

/// The GNU build id, in hexadecimal, among the notes of an ELF segment (PT_NOTE); empty if it is
/// not there.
std::string build_id_in_notes(std::string_view notes);

/// The GNU build id of the ELF file `program`, in hexadecimal; empty if it has none, is a program
/// of another kind of machine or none at all, or can't be read.
std::string build_id_of_file(const std::string& program);

}  // namespace huddle::executables

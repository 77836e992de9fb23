#pragma once

#include <link.h>

#include <string>
#include <vector>

#include "profiles/formats/profile/profile.hpp"

namespace huddle::recorder {

/// The GNU build id of a loaded program or library, in hexadecimal; empty if it has none. Throws
/// std::bad_alloc.
std::string build_id_of(const dl_phdr_info& object);

/// The program and the libraries in this process that the descriptions of `groups` and the places
/// of `regions` name. Throws std::bad_alloc.
std::vector<ProgramModule> modules_named_in(const std::vector<PhaseGroup>& groups,
                                            const std::vector<OpenMpRegion>& regions = {});

}  // namespace huddle::recorder

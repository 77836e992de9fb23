#include "spank_plugin/launch/prrte.hpp"

#include <array>
#include <climits>
#include <cstdint>

#include "profiles/executables/preload_refusal.hpp"
#include "profiles/files/atomic_file.hpp"
#include "profiles/vocabulary/error.hpp"
#include "spank_plugin/launch/store_access.hpp"

namespace huddle {

// Open MPI 5's mpirun becomes PRRTE's prterun, whose name therefore is in it. Open MPI 4's has its
// daemons within itself, and knows no such name.
bool is_prrte(const std::string& mpirun, std::string_view path) {
  std::array<char, PATH_MAX> found{};
  if (!find_program(mpirun, path, found)) return false;
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  constexpr std::uint64_t kLargest = std::uint64_t{16} << 20U;
  try {
    const std::string content = read_file(found.data(), kLargest);
    return content.starts_with(kElf) && content.find("prterun") != std::string::npos;
  } catch (const Error&) {  // unreadable, or no regular file
    return false;
  }
}

bool is_prrte_in_time(const std::string& mpirun, const std::string& path) {
  try {
    const auto answer = [&] { return std::string(is_prrte(mpirun, path) ? "yes" : ""); };
    return !text_with_files(mpirun, answer).empty();
  } catch (const Error&) {
    return false;
  }
}

}  // namespace huddle

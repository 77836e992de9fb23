#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace huddle::executables {

/// Why a program must not get a library by LD_PRELOAD: it would end, or print the loader's
/// complaints, or not get it anyway.
enum class PreloadRefusal : std::uint8_t {
  kNone,
  kUnreadable,    ///< nobody knows what is in it
  kPrivileged,    ///< set-uid, set-gid, or with capabilities: the loader ignores the library
  kBroken,        ///< neither a script nor a whole ELF file
  kOtherMachine,  ///< the library is for another one: the loader says so, for each program
  kStatic,        ///< it has no loader
  kOtherLoader,   ///< of another C library (musl), where the library ends the program
  kSanitizer,     ///< its runtime wants to be the first library, and ends the program
  kContainer,     ///< it starts programs among other files: another C library, or not this library
};

/// Completes "it ...": "is linked statically".
std::string_view reason_of(PreloadRefusal refusal);

/// Behind the name of a profile: the file in which programs are noted that did not get the
/// recorder, and why, a line each. `huddle record` makes it, and libhuddle_exec.so adds to it where
/// it is.
inline constexpr std::string_view kRefusedPrograms = ".refused";

/// Returns the reason why `program`, a path, must not get `library`, a path; kNone if it may.
/// Follows the `#!` of scripts to their interpreter. A `program` that does not exist is refused,
/// too. Allocates nothing and calls async-signal-safe functions only.
PreloadRefusal refusal_of(const char* program, const char* library) noexcept;

/// True if a program of this name or path starts others in a container, among other files.
bool starts_container(std::string_view program) noexcept;

/// True if `word`, of a command that starts a container, asks for a recorder in it, as does
/// "--env=LD_PRELOAD=/usr/lib/huddle/libhuddle_recorder.so".
bool asks_for_recorder(std::string_view word) noexcept;

/// True if a program with this LD_PRELOAD must get no more: a sanitizer's runtime in it has to stay
/// the first.
bool holds_sanitizer_runtime(std::string_view preloaded) noexcept;

/// The file that execvp() of `command` runs where PATH is `path`: `command` itself if it has a
/// slash. Writes it to `found`, with a zero byte. False if there is none, or if it does not fit.
/// Allocates nothing and calls async-signal-safe functions only.
bool find_program(std::string_view command, std::string_view path, std::span<char> found) noexcept;

}  // namespace huddle::executables

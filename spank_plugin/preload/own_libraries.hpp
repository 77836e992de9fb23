#pragma once

// Our libraries in a value of LD_PRELOAD, for exec_handover.cpp: nothing is allocated.

#include <unistd.h>

#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "profiles/vocabulary/preloaded_libraries.hpp"

namespace huddle::preload {

/// The libraries that are preloaded together, as preloaded_libraries.hpp has them: the recorders,
/// and libhuddle_exec.so beside them.
class OwnLibraries {
  static constexpr std::size_t kCount = 2 + kOtherRecorders.size();

 public:
  /// Bytes that write_preload() may write beyond what `preloaded` has.
  static constexpr std::size_t kRoom = kCount * (PATH_MAX + 1) + 16;

  static bool fits(const char* recorder) { return std::strlen(recorder) + 64 <= PATH_MAX; }

  /// `recorder`: a path that fits().
  explicit OwnLibraries(const char* recorder) {
    const char* const slash = std::strrchr(recorder, '/');
    const char* const name = slash == nullptr ? recorder : slash + 1;
    const char* const dot = std::strchr(name, '.');
    const std::size_t stem =
        dot == nullptr ? std::strlen(recorder) : static_cast<std::size_t>(dot - recorder);
    copy(all_[0], recorder, static_cast<std::size_t>(name - recorder), kHandover.data(), "");
    copy(all_[1], recorder, std::strlen(recorder), "", "");
    for (std::size_t other = 0; other < kOtherRecorders.size(); ++other)
      copy(all_[2 + other], recorder, stem, kOtherRecorders[other].data(),
           dot == nullptr ? "" : dot);
  }

  /// The recorder in a value of LD_PRELOAD, copied to `path`: what follows libhuddle_exec.so there.
  /// Null if there is none.
  static const char* recorder_in(const char* preloaded, std::array<char, PATH_MAX>& path) {
    bool follows = false;
    for (const char* entry = first_of(preloaded); *entry != '\0';) {
      const std::size_t size = size_of(entry);
      const std::string_view text(entry, size);
      if (follows && size < path.size()) {
        text.copy(path.data(), size);
        path[size] = '\0';
        return path.data();
      }
      follows = text.substr(text.rfind('/') + 1) == kHandover;
      entry = first_of(entry + size);
    }
    return nullptr;
  }

  [[nodiscard]] bool are_in(const char* preloaded) const {
    for (const char* entry = first_of(preloaded); *entry != '\0';) {
      const std::size_t size = size_of(entry);
      if (holds({entry, size})) return true;
      entry = first_of(entry + size);
    }
    return false;
  }

  /// Writes "LD_PRELOAD=" with the user's entries of `preloaded`, and ours in front if `with_ours`;
  /// false if it has none then.
  bool write_preload(char* text, const char* preloaded, bool with_ours) const {
    char* const begin = ::stpcpy(text, "LD_PRELOAD=");
    char* end = with_ours ? write(begin) : begin;
    for (const char* entry = first_of(preloaded); *entry != '\0';) {
      const std::size_t size = size_of(entry);
      if (!holds({entry, size})) {
        std::memcpy(end, entry, size);
        end += size;
        *end++ = ':';
      }
      entry = first_of(entry + size);
    }
    if (end == begin) return false;
    end[-1] = '\0';
    return true;
  }

 private:
  using Path = std::array<char, PATH_MAX>;
  static constexpr std::string_view kHandover = "libhuddle_exec.so";
  static constexpr const char* kBetween = " :";  // entries

  static const char* first_of(const char* list) { return list + std::strspn(list, kBetween); }
  static std::size_t size_of(const char* entry) { return std::strcspn(entry, kBetween); }

  static void copy(Path& path, const char* begin, std::size_t size, const char* middle,
                   const char* end) {
    std::memcpy(path.data(), begin, size);
    ::stpcpy(::stpcpy(path.data() + size, middle), end);
  }

  [[nodiscard]] bool holds(std::string_view entry) const {
    for (const Path& ours : all_)
      if (entry == ours.data()) return true;
    return false;
  }

  // Those that there are, each with ':' behind it.
  char* write(char* end) const {
    for (const Path& ours : all_)
      if (::access(ours.data(), R_OK) == 0) end = ::stpcpy(::stpcpy(end, ours.data()), ":");
    return end;
  }

  std::array<Path, kCount> all_{};
};

}  // namespace huddle::preload

#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace huddle::recorder {

/// A function that calls by a name are to reach, in place of those which they reach now.
struct Redirection {
  const char* name;
  std::array<void*, 3> from;  ///< null where there are fewer
  void* to;
};

/// Redirects calls between the modules of this process, as if `to` were exported by a library that
/// is preloaded: in the tables by which the loader binds modules to each other. No module learns
/// of a function that it did not find before.
class Redirections {
 public:
  explicit Redirections(const std::vector<Redirection>& list);

  /// Changes all modules that are loaded. Other threads may be calling meanwhile.
  void apply() const noexcept;

  /// True if a module calls one of the functions that are to be replaced. Allocates nothing.
  [[nodiscard]] bool is_passed() const noexcept;

 private:
  struct Sought {
    std::string_view name;
    Redirection redirection;
    bool is_bound_so_later;  // what is not bound yet will lead to `from`
  };

  /// Calls found(module, place, function to be called) until it returns false.
  template <class Found>
  void look_for(const Found& found) const noexcept;
  [[nodiscard]] const Sought* sought(std::string_view name) const noexcept;

  std::vector<Sought> list_;  // by name
};

}  // namespace huddle::recorder

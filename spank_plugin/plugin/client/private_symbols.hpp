#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace huddle::plugin {

/// A function or variable of Slurm's programs that none of its headers has.
struct PrivateSymbol {
  const char* name;
  /// Consequence for jobs where it is missing.
  const char* without;
};

namespace detail {
inline constexpr const char* kLeft = "jobs are left as submitted";
inline constexpr const char* kHidden = "scripts can't be looked at, and jobs keep their nodes";
inline constexpr const char* kUntried = "jobs with a plan are left as submitted";
}  // namespace detail

/// Those that the plugin looks up, each of which every Slurm from 22.05 to 26.05 has.
inline constexpr std::array kPrivateSymbols = {
    PrivateSymbol{"opt", detail::kLeft},
    PrivateSymbol{"slurm_option_get", detail::kLeft},
    PrivateSymbol{"slurm_option_isset", detail::kLeft},
    PrivateSymbol{"slurm_option_set", detail::kLeft},
    PrivateSymbol{"slurm_option_reset", detail::kLeft},
    PrivateSymbol{"slurm_xfree", detail::kLeft},
    PrivateSymbol{"slurm_option_table_create", detail::kHidden},
    PrivateSymbol{"slurm_option_table_destroy", detail::kHidden},
    PrivateSymbol{"sbopt", "sbatch is taken for salloc, and what its script needs is not seen"},
    PrivateSymbol{"slurm_opt_create_job_desc", detail::kUntried},
    PrivateSymbol{"slurm_free_job_desc_msg", detail::kUntried},
    PrivateSymbol{"slurm_free_will_run_response_msg",
                  "an answer of the controller stays in memory as long as sbatch lives"},
};

/// The name of one of them, or it does not compile.
class SymbolName {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a name is written as what it is
  consteval SymbolName(const char* name) : name_(name) {
    for (const PrivateSymbol& symbol : kPrivateSymbols)
      if (std::string_view(symbol.name) == name) return;
    throw "not in kPrivateSymbols";
  }
  [[nodiscard]] constexpr const char* text() const { return name_; }

 private:
  const char* name_;
};

/// Address of that symbol in this program and its libraries; null if they lack it.
void* find_symbol(SymbolName name);

enum class ClientProgram : std::uint8_t { kBatch, kOther };
ClientProgram this_program();

/// Lines "this Slurm lacks NAME: ...", for each that is missing here. Only sbatch (`kBatch`) has
/// options of batch scripts.
std::vector<std::string> missing_symbols(ClientProgram program);

/// Tells `huddle doctor`, which asks by kSelfReportVariable in the environment of this process,
/// what is missing here, on standard error. Says nothing to others.
void report_missing_symbols(ClientProgram program);

}  // namespace huddle::plugin

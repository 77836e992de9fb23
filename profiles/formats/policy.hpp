#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace huddle {

/// What `--energy-aggregate` asks for.
enum class Mode : std::uint8_t {
  kOff,      ///< the job as submitted
  kProfile,  ///< as submitted, and measured
  kAdvise,   ///< as submitted; the plan is printed
  kAuto,     ///< packed if there is a plan, else measured
};

inline constexpr std::string_view kModeNames = "off, profile, advise or auto";

/// The mode of that name, or nothing.
std::optional<Mode> mode_of(std::string_view name);
std::string_view name_of(Mode mode);

/// A site's rules, from huddle.toml. Every key has a default; see huddle.toml(5).
struct Policy {
  /// `mode`: what a job gets that does not use the option.
  Mode mode = Mode::kOff;
  /// `slowdown`: the largest slowdown a plan may predict; 0.05 is 5 %.
  double slowdown = 0.05;
  /// `risk`: whether the whole interval of a predicted time must be within the bound, where there is
  /// one; else the most likely time must.
  bool whole_interval = false;
  /// `profiles.directory`: root of the store; "~/" in front stands for the user's home.
  std::string profiles_directory = "~/.huddle";
  /// `profiles.move_ranks`: whether measured runs move their ranks for short times, to be measured
  /// on two placements.
  bool move_ranks = true;
  /// `profiles.samples`: how many runs may be measured before a plan is made, 1 or 2.
  std::uint32_t samples = 2;
  /// `machine.file`: the machine document of the site's nodes; empty if there is none.
  std::string machine_file;
  /// `machine.model`: the model that was trained on them; empty if there is none.
  std::string model_file;
  /// `programs.huddle`: the command that makes plans.
  std::string huddle;
  /// `programs.recorder`: the recorder's library.
  std::string recorder;
  /// `programs.mpirun_helper`: the library that lets mpirun follow a plan inside a batch script.
  std::string mpirun_helper;

  /// The defaults, with the programs where they were installed.
  static Policy defaults();
};

/// Reads huddle.toml. Throws SystemError, or FormatError for syntax (with line and column), an
/// unknown key, a wrong type or a value out of range.
Policy load_policy(const std::filesystem::path& path);
Policy parse_policy(std::string_view text, std::string_view file);

/// A share of 0 to 1 written "5%", "5 %" or "0.05"; nothing if it is not one.
std::optional<double> parse_share(std::string_view text);

}  // namespace huddle

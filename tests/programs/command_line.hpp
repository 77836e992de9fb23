// Reads a program's options on rank 0 and gives their values to all ranks.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/programs/mpi_program.hpp"

namespace programs {

// A file that rank 0 may write. given is the same on all ranks; path is known on rank 0 only.
struct OutputFile {
  bool given = false;
  std::string path;
};

// The options of one program, each written "--name VALUE" or "--name=VALUE". The variables given to
// number, choice and file hold the defaults, must outlive parse, and receive the values.
class CommandLine {
 public:
  CommandLine(std::string program, std::string summary)
      : program_(std::move(program)), summary_(std::move(summary)) {}

  // An integer from lowest to highest, both included.
  void number(std::string name, int* value, int lowest, int highest, std::string help) {
    Option option{std::move(name), std::move(help)};
    option.value = value;
    option.lowest = lowest;
    option.highest = highest;
    options_.push_back(std::move(option));
  }

  // One of words; value is its index.
  void choice(std::string name, int* value, std::vector<std::string> words, std::string help) {
    Option option{std::move(name), std::move(help)};
    option.value = value;
    option.words = std::move(words);
    options_.push_back(std::move(option));
  }

  void file(std::string name, OutputFile* value, std::string help) {
    Option option{std::move(name), std::move(help)};
    option.file = value;
    options_.push_back(std::move(option));
  }

  // Returns nothing if the program is to run; else the code to exit with: after --help, or after
  // a wrong argument, named on rank 0's standard error.
  // Collective: one MPI_Bcast of 1 + (number of options) MPI_INT.
  std::optional<int> parse(int argc, char** argv) {
    enum Outcome { kRun, kHelp, kBad };
    std::vector<int> message(1 + options_.size(), kRun);
    if (world_rank() == 0) {
      std::string complaint;
      const bool help = !read(argc, argv, &complaint);
      if (!complaint.empty())
        std::fprintf(stderr, "%s: %s; see --help\n", program_.c_str(), complaint.c_str());
      else if (help)
        print_help();
      message[0] = !complaint.empty() ? kBad : help ? kHelp : kRun;
      for (std::size_t i = 0; i < options_.size(); ++i) message[i + 1] = options_[i].encoded();
    }
    MPI_Bcast(message.data(), static_cast<int>(message.size()), MPI_INT, 0, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < options_.size(); ++i) options_[i].decode(message[i + 1]);
    if (message[0] == kRun) return std::nullopt;
    return message[0] == kHelp ? kRight : kBadArguments;
  }

 private:
  struct Option {
    std::string name;
    std::string help;
    int* value = nullptr;
    int lowest = 0;
    int highest = 0;
    std::vector<std::string> words = {};
    OutputFile* file = nullptr;

    int encoded() const { return file ? static_cast<int>(file->given) : *value; }
    void decode(int code) {
      if (file)
        file->given = code != 0;
      else
        *value = code;
    }

    std::string expected() const {
      if (file) return "a file name, or - for standard output";
      if (words.empty())
        return "an integer from " + std::to_string(lowest) + " to " + std::to_string(highest);
      std::string text = "one of";
      for (const std::string& word : words) text += " " + word;
      return text;
    }

    bool take(const std::string& text) {
      if (file) {
        *file = {true, text};
        return !text.empty();
      }
      if (!words.empty()) {
        const auto word = std::find(words.begin(), words.end(), text);
        *value = static_cast<int>(word - words.begin());
        return word != words.end();
      }
      const char* end = text.data() + text.size();
      const auto [stopped, error] = std::from_chars(text.data(), end, *value);
      return error == std::errc() && stopped == end && *value >= lowest && *value <= highest;
    }
  };

  // Returns false if --help was asked for; a wrong argument goes into complaint.
  bool read(int argc, char** argv, std::string* complaint) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view argument = argv[i];
      if (argument == "--help") return false;
      const std::size_t equals = argument.find('=');
      const std::string_view name = argument.substr(0, equals);
      const auto option = std::find_if(options_.begin(), options_.end(),
                                       [&](const Option& o) { return o.name == name; });
      if (option == options_.end()) {
        *complaint = "unknown option " + std::string(name);
        return true;
      }
      if (equals == std::string_view::npos && i + 1 == argc) {
        *complaint = std::string(name) + ": no value; expected " + option->expected();
        return true;
      }
      const std::string text(equals == std::string_view::npos ? std::string_view(argv[++i])
                                                              : argument.substr(equals + 1));
      if (!option->take(text)) {
        *complaint = std::string(name) + ": found '" + text + "'; expected " + option->expected();
        return true;
      }
    }
    return true;
  }

  void print_help() const {
    std::printf("%s\n%s\n\noptions:\n", program_.c_str(), summary_.c_str());
    for (const Option& option : options_) {
      std::string value;
      if (!option.file)
        value = option.words.empty() ? std::to_string(*option.value)
                                     : option.words[static_cast<std::size_t>(*option.value)];
      std::printf("  %-18s %s\n%21s%s%s%s\n", option.name.c_str(), option.help.c_str(), "",
                  option.expected().c_str(), value.empty() ? "" : "; default ", value.c_str());
    }
    std::printf("  %-18s this text\n", "--help");
  }

  std::string program_;
  std::string summary_;
  std::vector<Option> options_;
};

}  // namespace programs

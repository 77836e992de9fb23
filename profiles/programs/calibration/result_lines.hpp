#pragma once

#include <set>
#include <string>

namespace huddle::calibration {

/// The file of results: one line of JSON for each, complete as soon as it is there, so that a run
/// that is ended at any moment can go on later. One process uses it.
class ResultLines {
 public:
  /// Reads what is there and takes away a last line that was not finished; a new file gets `head`
  /// as its first line. Throws std::runtime_error if the file begins with another line, is being
  /// written by another process, or can't be
  /// read or written.
  ResultLines(const std::string& path, const std::string& head);
  ~ResultLines();
  ResultLines(const ResultLines&) = delete;
  ResultLines& operator=(const ResultLines&) = delete;

  /// True if there is a result with this key: the members of a line up to the one that is measured,
  /// without braces.
  [[nodiscard]] bool has(const std::string& key) const { return keys_.count(key) != 0; }

  /// Adds {key,"name":value}.
  void add(const std::string& key, const std::string& name, double value);
  /// Adds {members}.
  void add_line(const std::string& members);

 private:
  void keep_key_of(const std::string& line);

  std::string path_;
  int file_ = -1;
  std::set<std::string> keys_;
};

}  // namespace huddle::calibration

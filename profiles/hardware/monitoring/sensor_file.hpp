#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace huddle::power {

/// The file of a sensor, read again and again. The place where a test hands in files of its own.
class SensorFile {
 public:
  virtual ~SensorFile() = default;
  SensorFile(const SensorFile&) = delete;
  SensorFile& operator=(const SensorFile&) = delete;

  /// Its text from the beginning on: how many bytes, or a negative errno value. May take as long as
  /// the driver does. For one thread at a time.
  virtual long read(char* buffer, std::size_t size) noexcept = 0;

 protected:
  SensorFile() = default;
};

/// Keeps its descriptor, since opening takes longer than reading; opens anew after a failure, or
/// if another file is at the path now.
std::unique_ptr<SensorFile> kept_file(std::string path);

}  // namespace huddle::power

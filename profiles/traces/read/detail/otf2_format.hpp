#pragma once

// The layout of OTF2's files, which its public headers do not describe. The numbers are those of
// OTF2 1.0 to 3.0, which only ever added some.

#include <cstddef>
#include <cstdint>

namespace huddle::otf2 {

/// In the place of a record's type, in each file.
enum Mark : std::uint8_t {
  kEndOfChunk = 0,  ///< on with the next one
  kEndOfBuffer = 1,
  kEndOfFile = 2,
  kChunkHeader = 3,
};
inline constexpr std::uint8_t kLittleEndian = 0x42;
inline constexpr std::uint8_t kBigEndian = 0x23;
/// Mark, byte order, numbers of the first and the last record.
inline constexpr std::size_t kChunkHeaderBytes = 18;

enum LocalDefinition : std::uint8_t { kMappingTable = 5, kClockOffset = 6 };

enum GlobalDefinition : std::uint8_t {
  kClockProperties = 5,
  kString = 10,
  kSystemTreeNode = 12,
  kLocationGroup = 13,
  kLocation = 14,
  kRegion = 15,
  kGroup = 18,
  kMetricMember = 19,
  kMetricClass = 20,
  kMetricInstance = 21,
  kComm = 22,
  kRmaWin = 24,
  kSystemTreeNodeDomain = 27,
  kLocationProperty = 29,
  kCallingContext = 34,
  kIoHandle = 40,
  kInterComm = 43,
};

/// Records of event files. Those without a length are marked so: a number alone follows.
enum EventRecord : std::uint8_t {
  kTimestamp = 5,  ///< eight bytes, for the records that follow
  kAttributes = 6,
  kEnter = 12,  ///< no length
  kLeave = 13,  ///< no length
  kMpiSend = 14,
  kMpiIsend = 15,
  kMpiIsendComplete = 16,  ///< no length
  kMpiIrecvRequest = 17,   ///< no length
  kMpiRecv = 18,
  kMpiIrecv = 19,
  kMpiRequestTest = 20,       ///< no length
  kMpiRequestCancelled = 21,  ///< no length
  kMpiCollectiveBegin = 22,
  kMpiCollectiveEnd = 23,
  kOmpFork = 24,  ///< no length
  kOmpAcquireLock = 26,
  kOmpReleaseLock = 27,
  kOmpTaskCreate = 28,    ///< no length
  kOmpTaskSwitch = 29,    ///< no length
  kOmpTaskComplete = 30,  ///< no length
  kMetric = 31,
  kRmaWinCreate = 35,
  kRmaWinDestroy = 36,
  kRmaCollectiveEnd = 38,
  kRmaGroupSync = 39,
  kRmaRequestLock = 40,
  kRmaAcquireLock = 41,
  kRmaTryLock = 42,
  kRmaReleaseLock = 43,
  kRmaPut = 46,
  kRmaGet = 47,
  kRmaAtomic = 48,
  kThreadTeamBegin = 55,
  kThreadTeamEnd = 56,
  kThreadAcquireLock = 57,
  kThreadReleaseLock = 58,
  kCallingContextEnter = 66,
  kCallingContextLeave = 67,
  kIoOperationBegin = 75,
  kNonBlockingCollectiveRequest = 85,
  kNonBlockingCollectiveComplete = 86,
};

}  // namespace huddle::otf2

// The figures of a run, from which its counts are computed later: how many ids and
// unique ids each SparseCore sends to each partition, by tile, and for an update the
// rows of each tile. Each run computes them, from its entries, as long as these are in
// the caches.

#ifndef SDYKIT_BRIDGE_NATIVE_FIGURES_H_
#define SDYKIT_BRIDGE_NATIVE_FIGURES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace sdykit {

// An array in memory.
struct Span {
  const void* data;
  size_t size;  // in bytes
};

// What the layout of the entries of a program is.
struct FigurePlan {
  int64_t devices;           // of the system
  int64_t cores;             // SparseCores of a device, and its partitions
  int64_t samples_per_core;
  int64_t tiles;             // of a SparseCore
  int64_t pointers;          // row pointers of a SparseCore and minibatch
  bool minibatches;          // whether the buffers have room for several
  bool is_counted;           // whether preprocessing has counted ids; for one device
  // The numbers of the program's arguments, of an update: the sorted words, a row in the
  // upper half of each and the number of the entry in the lower; and for each partition
  // where its words begin and end. None for a lookup.
  std::optional<size_t> words, parts;
};

// The figures of a run on a device, int32. In order, with S SparseCores that have
// samples, M minibatches, P partitions of the device and T tiles:
//
// - M
// - [S, M, P]: ids; -1 if row pointers are wrong
// - [S, M, P]: unique ids
// - [S, M, P, T]: ids by the tile of their samples
// - of an update, [M, P, T]: the position of the first row that begins in the share of a
//   tile or after it, in the sorted list of M and P, whose shares are even
// - of an update, [M, P, T]: the rows that begin in the share
// - of an update, [M, P, T]: their pairs of a row and a device
// - of an update if M > 1, [M, P, T]: of the rows those that no minibatch before has
// - of an update if M > 1, [P, T]: these rows again, by the tile whose share they begin
//   in if the lists of a partition are one
class Figures {
 public:
  // `operands` are int32: row_pointers, embedding_ids and sample_ids of all devices;
  // before them the number of the device if there are several, and after them the
  // number of minibatches if there may be several. If ids are counted: the numbers of ids
  // and unique ids, then those by tile, then minibatches. Throws std::bad_alloc.
  Figures(const FigurePlan& plan, const std::vector<Span>& operands);

  // The number of int32 elements.
  int64_t size() const { return end_; }

  // Computes a part of the figures: part 0 to `parts` - 1. Thread-safe, and does not
  // throw. `arguments` are those of the program, which has sorted its words.
  void Compute(int64_t part, int64_t parts, void* const* arguments, int32_t* to) const;

 private:
  struct Range {
    int64_t begin, end;
  };
  class Sweep;

  int64_t sources() const { return plan_.devices * plan_.cores; }
  int64_t lists() const { return minibatches_ * plan_.cores; }
  bool is_simple() const { return plan_.devices == 1 && minibatches_ == 1; }

  void ReadEntries(const Span* operands);
  void ReadCounts(const Span* operands);
  void AllocateGroups();
  int64_t IdsOf(int64_t core, int64_t minibatch, int64_t partition) const;
  void CopyCounts(int32_t* to) const;
  Range SegmentOf(int64_t core, int64_t minibatch, int64_t partition) const;
  void CountSegment(int64_t segment, int32_t* to) const;
  void CountTile(int64_t tile, void* const* arguments, int32_t* to) const;
  void CountPartition(int64_t partition, void* const* arguments, int32_t* to) const;

  FigurePlan plan_;
  const int32_t* row_pointers_ = nullptr;
  const int32_t* ids_ = nullptr;
  const int32_t* samples_ = nullptr;
  const int32_t* counted_ids_ = nullptr;
  const int32_t* counted_unique_ids_ = nullptr;
  const int32_t* counted_tile_ids_ = nullptr;
  int64_t pointers_per_device_ = 0, entries_per_device_ = 0;
  int64_t device_ = 0, minibatches_ = 1;
  int64_t segments_, segment_units_, row_units_ = 0;
  // For sweeps: room for the device and the minibatch of each entry.
  std::unique_ptr<int32_t[]> groups_;
  // Where the arrays of figures begin, and one past the last element.
  int64_t unique_ids_, tile_ids_, starts_, rows_, device_rows_, new_rows_, updated_rows_, end_;
};

}  // namespace sdykit

#endif  // SDYKIT_BRIDGE_NATIVE_FIGURES_H_

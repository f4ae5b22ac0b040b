// The entries of a SparseCore in the order of their samples.

#ifndef SDYKIT_SPARSECORE_INDEX_H_
#define SDYKIT_SPARSECORE_INDEX_H_

#include "packing.h"

namespace sdykit {

// How the buffers of a device are laid out.
struct IndexLayout {
  int64_t partitions, cores_of_device, minibatches;
  bool absolute;

  int64_t width() const { return partitions > kAlignment ? partitions : kAlignment; }
  int64_t columns() const { return minibatches * width(); }  // the row pointers of a SparseCore
};

// The ids and the unique ids of each segment, partition after partition, and the ids by the tile of
// their samples, of which there may be none.
struct SegmentCounts {
  int32_t* ids;
  int32_t* uniques;
  int32_t* tile_ids;
  int64_t tiles;
};

// `(splits, rows, gains, counts of ids, counts of tiles, rows of a partition)`, as `index_samples`
// has them.
class IndexArrays {
 public:
  // `layout` is that of row pointers that `CheckPointers` has checked.
  IndexArrays(const char* function, const nanobind::tuple& given, int64_t cores,
              const EntryArrays& entries, const IndexLayout& layout);

  // Copies the entries of a SparseCore, whose row pointers these are.
  void Fill(int64_t core, const EntryArrays& entries, const Array<int32_t>& pointers) const;
  // The same, if all samples of the SparseCore have one id, and its buffers all ids: then the list
  // is in the order of the index. `counts` are its ids and unique ids by partition.
  void FillInOrder(int64_t core, const List& list, int bits, const EntryArrays& entries,
                   const Array<int32_t>& pointers, const CountArrays& counts) const;

  int64_t samples() const { return splits_.dim(2) - 1; }  // of a SparseCore

 private:
  SegmentCounts CountsOf(int64_t core) const;

  const char* function_;
  IndexLayout layout_;
  Array<int32_t> splits_, rows_;
  Array<float> gains_;
  Array<int32_t> observed_, tile_ids_;
  int64_t rows_of_partition_;
};

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_INDEX_H_

// The limits of the ids of a logical table, over all its partitions.

#ifndef SDYKIT_SPARSECORE_TABLES_H_
#define SDYKIT_SPARSECORE_TABLES_H_

#include "arrays.h"
#include "kernels.h"
#include "scratch.h"

namespace sdykit {

// `(ends, limits, observed, bits of a key, bits of a row)`: int64 [tables], one past each table's
// last row in a partition; int64 [SparseCores, tables, 2] each, the maximum ids and unique ids that
// a SparseCore takes from a table, and how many there are.
class TableLimits {
 public:
  TableLimits(const char* function, const nanobind::tuple& given, int64_t cores);

  // Returns the ids of a list that are within the limits, sorted, in memory of `scratch`. Sets the
  // observed numbers of the SparseCore.
  List Limit(int64_t core, const List& list, Scratch& scratch) const;

 private:
  using Counts = int64_t (*)[2];  // ids and unique ids of each table

  // Returns the table of a row; that of a lower row in the same partition is `table` or 0.
  int64_t TableOf(int64_t row, int64_t table) const;
  int64_t Keep(const uint64_t* items, const List& list, const int64_t (*limits)[2], Counts seen,
               uint64_t* words, float* gains) const;

  Array<const int64_t> ends_;
  Array<const int64_t> limits_;
  Array<int64_t> observed_;
  int key_bits_, bits_;
};

}  // namespace sdykit

#endif  // SDYKIT_SPARSECORE_TABLES_H_

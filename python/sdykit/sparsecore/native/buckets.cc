// Splits lists into buckets, and finds buckets that must be in different minibatches.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "hash.h"
#include "packing.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

constexpr const char* kGroup = "group_cores";

struct Grouping {
  KeyShape keys;
  int log_partitions;
  int64_t rows;  // samples on a SparseCore, if the sample determines the bucket; 0 if the row does

  int64_t runs() const { return keys.partitions * kBuckets; }
  uint64_t ColumnOf(uint64_t key) const {
    const uint64_t row = key & ((uint64_t{1} << keys.bits) - 1);
    return row << log_partitions | key >> keys.bits;
  }
};

// Finds the run of each word, a bucket of a partition, and counts ids and unique ids by run.
//
// `marks[i]` is set to the run of word `i`, `ends[run + 1]` to the number of words in a run.
void Mark(const uint64_t* ordered, const List& list, const Grouping& how, uint32_t* marks,
          int64_t* ends, int32_t* ids, int32_t* uniques) {
  std::fill_n(ends, how.runs() + 1, 0);
  std::fill_n(ids, how.runs(), 0);
  std::fill_n(uniques, how.runs(), 0);
  uint64_t last_key = ~uint64_t{0}, last_row = ~uint64_t{0};
  int64_t bucket = 0;
  for (int64_t i = 0; i < list.count; ++i) {
    const uint64_t item = ordered[i];
    const uint64_t word = list.gains != nullptr ? list.words[item & kRowMask] : item;
    const uint64_t key = item >> kKeyShift, row = word & kRowMask;
    const int64_t partition = static_cast<int64_t>(key >> how.keys.bits);
    bool new_key = key != last_key;
    if (how.rows > 0) {
      const int64_t before = bucket;
      bucket = static_cast<int64_t>(row) * kBuckets / how.rows;
      new_key |= bucket != before;
    } else if (new_key) {
      bucket = static_cast<int64_t>(BucketOf(how.ColumnOf(key)));
    }
    if (partition >= how.keys.partitions || bucket >= kBuckets) {
      Fail(kGroup, "a word is of partition " + std::to_string(partition) + " and row " +
                       std::to_string(row) + "; expected them below " +
                       std::to_string(how.keys.partitions) + " and " + std::to_string(how.rows));
    }
    const int64_t run = partition * kBuckets + bucket;
    uniques[run] += new_key;
    ids[run] += new_key || row != last_row;
    ++ends[run + 1];
    marks[i] = static_cast<uint32_t>(run);
    last_key = key;
    last_row = row;
  }
}

// Moves words to their runs, and sets `starts` to the positions of the runs, and their end.
void PlaceWords(const uint64_t* ordered, int64_t count, const uint32_t* marks, int64_t runs,
                int64_t* starts, uint64_t* items) {
  for (int64_t run = 1; run <= runs; ++run) starts[run] += starts[run - 1];
  for (int64_t i = 0; i < count; ++i) items[starts[marks[i]]++] = ordered[i];
  for (int64_t run = runs; run > 0; --run) starts[run] = starts[run - 1];
  starts[0] = 0;
}

void BindGroupCores(Range cores, const nb::tuple& lists, std::tuple<int64_t, int, int> shape,
                    const nb::tuple& scratch, int64_t rows, nb::handle items, nb::handle runs,
                    const nb::tuple& counts) {
  const auto [partitions, key_bits, bits] = shape;
  const KeyShape keys{partitions, bits};
  keys.Check(kGroup);
  CheckRange({kGroup, "bits of a key"}, key_bits, std::max(1, bits), 32);
  const Grouping how{keys, key_bits - bits, rows};
  CheckRange({kGroup, "partitions"}, partitions, 1, int64_t{1} << 25);  // Runs have 32 bits.
  CheckRange({kGroup, "rows"}, rows, 0, int64_t{1} << 32);
  const Lists own(kGroup, lists, cores);
  const SortingArrays sorting(kGroup, scratch, 4, own.longest());
  const Array<uint32_t> marks({kGroup, "marks"}, scratch[3]);
  marks.Needs(own.longest());
  const Array<uint64_t> sorted({kGroup, "items"}, items);
  sorted.Needs(own.Start(cores.second - cores.first));
  const Array<int64_t> ends({kGroup, "runs"}, runs, 2);
  if (ends.dim(0) < cores.second - cores.first || ends.dim(1) != how.runs() + 1) {
    ends.Misfit("a row of " + std::to_string(how.runs() + 1) + " for each SparseCore");
  }
  const CountArrays counted(kGroup, counts, 3);
  counted.Needs(cores.second, partitions, kBuckets);
  nb::gil_scoped_release release;
  for (int64_t core = cores.first; core < cores.second; ++core) {
    const int64_t number = core - cores.first;
    const List list = own[number];
    const uint64_t* ordered = SortWords(list.words, list.count, key_bits, list.gains != nullptr,
                                        sorting.sorting());
    int64_t* const starts = ends.data() + number * ends.dim(1);
    Mark(ordered, list, how, marks.data(), starts, counted.ids(core), counted.uniques(core));
    PlaceWords(ordered, list.count, marks.data(), how.runs(), starts,
               sorted.data() + own.Start(number));
  }
}

void BindBucketsOf(nb::handle columns, nb::handle buckets) {
  const Array<const uint64_t> given({"buckets_of", "columns"}, columns);
  const Array<int32_t> found({"buckets_of", "buckets"}, buckets);
  found.Needs(given.size());
  nb::gil_scoped_release release;
  for (int64_t at = 0; at < given.size(); ++at) {
    found.data()[at] = static_cast<int32_t>(BucketOf(given.data()[at]));
  }
}

// Returns a bit for each inner node of the tree over the 64 buckets, the lowest level first: set
// if its two halves do not fit in one minibatch.
uint64_t SplitsOf(const int32_t* counts, int64_t limit) {
  int64_t sizes[kBuckets];
  std::copy_n(counts, kBuckets, sizes);
  uint64_t bits = 0, bit = 1;
  for (int64_t subtree = 2; subtree <= kBuckets; subtree *= 2) {
    for (int64_t left = 0; left < kBuckets; left += subtree, bit <<= 1) {
      const int64_t right = left + subtree / 2;
      if (sizes[left] + sizes[right] > limit) {
        bits |= bit;
        sizes[left] = std::max(sizes[left], sizes[right]);
      } else {
        sizes[left] += sizes[right];
      }
    }
  }
  return bits;
}

uint64_t BindSplitBits(nb::handle counts, nb::handle limits) {
  const Array<const int32_t> given({"split_bits", "counts"}, counts, 3);
  if (given.dim(2) != kBuckets) given.Misfit("[SparseCores, partitions, 64]");
  const Array<const int64_t> of_partition({"split_bits", "limits"}, limits);
  of_partition.Needs(given.dim(1));
  nb::gil_scoped_release release;
  uint64_t bits = 0;
  for (int64_t list = 0; list < given.dim(0) * given.dim(1); ++list) {
    bits |= SplitsOf(given.data() + list * kBuckets, of_partition.data()[list % given.dim(1)]);
  }
  return bits;
}

}  // namespace

void BindBuckets(nb::module_& m) {
  m.attr("BUCKETS") = kBuckets;
  m.def("buckets_of", &BindBucketsOf, "columns"_a, "buckets"_a);
  m.def("group_cores", &BindGroupCores, "cores"_a, "lists"_a, "shape"_a, "scratch"_a, "rows"_a,
        "items"_a, "runs"_a, "counts"_a);
  m.def("split_bits", &BindSplitBits, "counts"_a, "limits"_a);
}

}  // namespace sdykit

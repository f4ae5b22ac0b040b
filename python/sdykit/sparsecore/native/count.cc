// Counts the ids and unique ids of lists by table and partition, without packing them.

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "packing.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

constexpr const char* kFunction = "count_cores";

// The counts of one SparseCore and partition by table, in int32 [cores, tables, partitions].
struct Column {
  int32_t* counts;
  int64_t partitions;

  int32_t& operator[](int64_t table) const { return counts[table * partitions]; }
};

struct Tables {
  int64_t number;
  const int64_t* first_rows;  // the first row of each table in a partition, and their end
  int32_t* max_of_sample;     // the maximum number of ids of one sample in one partition, by table
  int32_t* of_sample;         // counters of ids by sample, zeros between runs
  int64_t samples;
};

// Counts the sorted items of one partition, in which the tables are one after another.
void CountRun(const uint64_t* items, int64_t count, uint64_t mask, const Tables& tables,
              Column ids, Column uniques) {
  int64_t table = 0;
  uint64_t last = count > 0 ? ~items[0] : 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t word = items[i];
    if (word == last) continue;
    const int64_t row = static_cast<int64_t>(word >> kKeyShift & mask);
    const int64_t sample = static_cast<int64_t>(word & kRowMask);
    while (table < tables.number && row >= tables.first_rows[table + 1]) ++table;
    if (table == tables.number || sample >= tables.samples) {
      Fail(kFunction, "a word is of row " + std::to_string(row) + " and sample " +
                          std::to_string(sample) + "; expected them below " +
                          std::to_string(tables.first_rows[tables.number]) + " and " +
                          std::to_string(tables.samples));
    }
    ++ids[table];
    uniques[table] += (word >> kKeyShift) != (last >> kKeyShift);
    const int32_t ids_of_sample = static_cast<int32_t>(tables.of_sample[sample] + 1U);
    tables.of_sample[sample] = ids_of_sample;
    tables.max_of_sample[table] = std::max(tables.max_of_sample[table], ids_of_sample);
    last = word;
  }
  for (int64_t i = 0; i < count; ++i) tables.of_sample[items[i] & kRowMask] = 0;
}

void BindCountCores(nb::handle starts, nb::handle words, std::tuple<int64_t, int, int> shape,
                    const nb::tuple& scratch, nb::handle first_rows, const nb::tuple& counts,
                    nb::handle max_of_sample) {
  const auto [partitions, key_bits, bits] = shape;
  const KeyShape keys{partitions, bits};
  keys.Check(kFunction);
  CheckRange({kFunction, "bits of a key"}, key_bits, 1, 32);
  const Array<const int64_t> begins({kFunction, "starts"}, starts);
  begins.Needs(1);
  const Array<const uint64_t> list({kFunction, "words"}, words);
  const int64_t cores = begins.size() - 1;
  const SortingArrays sorting(kFunction, scratch, 4,
                              CheckStarts(kFunction, begins, cores, list.size()));
  const Array<int32_t> of_sample({kFunction, "ids of samples"}, scratch[3]);
  const Array<const int64_t> rows({kFunction, "first_rows"}, first_rows);
  rows.Needs(1);
  const Array<int32_t> largest({kFunction, "max_of_sample"}, max_of_sample);
  const Tables tables{rows.size() - 1, rows.data(), largest.data(), of_sample.data(),
                      of_sample.size()};
  largest.Needs(tables.number);
  const CountArrays counted(kFunction, counts, 3);
  counted.Needs(cores, tables.number, partitions);
  nb::gil_scoped_release release;
  for (int64_t core = 0; core < cores; ++core) {
    std::fill_n(counted.ids(core), tables.number * partitions, 0);
    std::fill_n(counted.uniques(core), tables.number * partitions, 0);
    const int64_t count = begins.data()[core + 1] - begins.data()[core];
    const uint64_t* items = SortWords(list.data() + begins.data()[core], count, key_bits, false,
                                      sorting.sorting());
    int64_t item = 0;
    for (int64_t partition = 0; partition < partitions; ++partition) {
      const int64_t stop = keys.End(items, item, count, partition);
      CountRun(items + item, stop - item, (uint64_t{1} << bits) - 1, tables,
               {counted.ids(core) + partition, partitions},
               {counted.uniques(core) + partition, partitions});
      item = stop;
    }
  }
}

}  // namespace

void BindCount(nb::module_& m) {
  m.def("count_cores", &BindCountCores, "starts"_a, "words"_a, "shape"_a, "scratch"_a,
        "first_rows"_a, "counts"_a, "max_of_sample"_a);
}

}  // namespace sdykit

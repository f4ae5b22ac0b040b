// Counting what lists hold, without packing them: ids and unique ids by table and partition.

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "packing.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

constexpr const char* kFunction = "count_cores";

// int32 [cores, tables, partitions]: a partition's counts, table after table.
struct Column {
  int32_t* counts;
  int64_t partitions;

  int32_t& operator[](int64_t table) const { return counts[table * partitions]; }
};

struct Tables {
  int64_t number;
  const int64_t* first_rows;  // where they begin in a partition, and their end
  int32_t* most;              // ids of a sample in a partition
  int32_t* of_sample;         // zeros
  int64_t samples;
};

// Counts sorted items of one partition; tables follow each other, as their rows do.
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
                          std::to_string(sample) + "; the tables end at row " +
                          std::to_string(tables.first_rows[tables.number]) +
                          ", the samples at " + std::to_string(tables.samples));
    }
    ++ids[table];
    uniques[table] += (word >> kKeyShift) != (last >> kKeyShift);
    const int32_t most = static_cast<int32_t>(tables.of_sample[sample] + 1U);
    tables.of_sample[sample] = most;
    tables.most[table] = std::max(tables.most[table], most);
    last = word;
  }
  for (int64_t i = 0; i < count; ++i) tables.of_sample[items[i] & kRowMask] = 0;
}

void BindCountCores(nb::handle starts, nb::handle words, std::tuple<int64_t, int, int> shape,
                    const nb::tuple& scratch, nb::handle first_rows, const nb::tuple& counts,
                    nb::handle most) {
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
  const Array<int32_t> largest({kFunction, "most"}, most);
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
        "first_rows"_a, "counts"_a, "most"_a);
}

}  // namespace sdykit

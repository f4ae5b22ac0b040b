#include "index.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "tile_counts.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

constexpr const char* kFunction = "index_samples";

struct Source {
  const int32_t* ids;
  const int32_t* samples;
  const float* gains;
};

// The index that is written: `splits[sample]` is the next place of a sample, in [begin, end).
struct Target {
  int32_t* splits;
  int64_t samples;
  int64_t begin, end;
  int32_t* rows;
  float* gains;
};

// Sets `splits` to the first place of each sample.
void CountSamples(const int32_t* samples, const Target& target) {
  std::fill_n(target.splits, target.samples + 1, 0);
  for (int64_t at = target.begin; at < target.end; ++at) {
    const int64_t sample = samples[at];
    if (sample == kPad) continue;
    if (sample < 0 || sample >= target.samples) {
      Fail(kFunction, "entry " + std::to_string(at) + " is of sample " + std::to_string(sample) +
                          "; expected one below " + std::to_string(target.samples));
    }
    ++target.splits[sample];
  }
  int32_t total = static_cast<int32_t>(target.begin);
  for (int64_t sample = 0; sample <= target.samples; ++sample) {
    const int32_t count = target.splits[sample];
    target.splits[sample] = total;
    total += count;
  }
}

// Copies the entries [start, last) of a partition to the next places of their samples. Returns the
// number of unique ids: entries are sorted by id.
int32_t Scatter(const Source& source, int64_t start, int64_t last, uint32_t first_row,
                const Target& target) {
  int32_t uniques = 0;
  for (int64_t at = start; at < last; ++at) {
    uniques += at == start || source.ids[at] != source.ids[at - 1];
    const int64_t sample = source.samples[at];
    // Wrong row pointers may mark more entries than were counted.
    const bool known = sample >= 0 && sample < target.samples;
    const int64_t place = known ? target.splits[sample]++ : target.end;
    if (place >= target.end) {
      Fail(kFunction, "entry " + std::to_string(at) + " of sample " + std::to_string(sample) +
                          " has no place; expected row pointers that mark entries and no pads");
    }
    target.rows[place] = static_cast<int32_t>(first_row + static_cast<uint32_t>(source.ids[at]));
    target.gains[place] = source.gains[at];
  }
  return uniques;
}

// The entries of a SparseCore are in [begin, end), and no other's are in [end, stop); row pointers
// count from `origin`.
struct Span {
  int64_t origin, begin, end, stop;
};

int64_t Padded(int64_t position) { return (position + kAlignment - 1) / kAlignment * kAlignment; }

Span SpanOf(const IndexLayout& how, int64_t local, const int32_t* pointers, int64_t room) {
  const int64_t last = Padded(pointers[how.columns() - 1]);
  Span span{0, 0, last, last};
  if (how.absolute) {
    if (local > 0) span.begin = Padded(pointers[-1]);
    if (local + 1 == how.cores_of_device) span.stop = room;
  } else {
    span.origin = span.begin = room / how.cores_of_device * local;
    span.end = span.begin + last;
    span.stop = span.begin + room / how.cores_of_device;
  }
  // The entries that had no room are counted by the pointers, too.
  for (int64_t* each : {&span.begin, &span.end, &span.stop}) *each = std::min(*each, room);
  CheckRange({kFunction, "stop"}, span.stop, 0, room);
  CheckRange({kFunction, "end"}, span.end, 0, span.stop);
  CheckRange({kFunction, "begin"}, span.begin, span.origin, span.end);
  return span;
}

void ScatterSegments(const Source& source, const int32_t* pointers, const Span& span,
                     const IndexLayout& how, int64_t rows_of_partition, const Target& target,
                     SegmentCounts counts) {
  int64_t start = target.begin;
  for (int64_t segment = 0; segment < how.minibatches; ++segment, pointers += how.width()) {
    for (int64_t partition = 0; partition < how.partitions; ++partition) {
      const int64_t pointer = pointers[partition];
      if (span.origin + pointer < target.begin) {
        Fail(kFunction, "a row pointer is " + std::to_string(pointer) + "; expected " +
                            std::to_string(target.begin - span.origin) + " or more");
      }
      const int64_t end = std::min(span.origin + pointer, target.end);
      *counts.ids++ = static_cast<int32_t>(std::max<int64_t>(end - start, 0));
      *counts.uniques++ =
          Scatter(source, start, end, static_cast<uint32_t>(partition * rows_of_partition),
                  target);
      if (counts.tiles > 0) {
        CountTileIds(source.samples + start, std::max<int64_t>(end - start, 0), target.samples,
                     counts.tiles, counts.tile_ids);
        counts.tile_ids += counts.tiles;
      }
      start = span.origin + Padded(pointer);
    }
  }
}

// Writes the rows and gains of a list, without merging.
SDYKIT_CLONES void CopyList(const List& list, int bits, uint32_t rows_of_partition,
                            int32_t* __restrict rows, float* __restrict gains) {
  const uint32_t mask = static_cast<uint32_t>((uint64_t{1} << bits) - 1);
  for (int64_t i = 0; i < list.count; ++i) {
    const uint64_t key = list.words[i] >> kKeyShift;
    rows[i] = static_cast<int32_t>(static_cast<uint32_t>(key >> bits) * rows_of_partition +
                                   (static_cast<uint32_t>(key) & mask));
  }
  if (list.gains == nullptr) {
    std::fill_n(gains, list.count, list.gain);
  } else {
    std::copy_n(list.gains, list.count, gains);
  }
}

const nb::tuple& Checked(const char* function, const nb::tuple& given) {
  CheckTuple({function, "index"}, given, 6);
  return given;
}

}  // namespace

IndexArrays::IndexArrays(const char* function, const nb::tuple& given, int64_t cores,
                         const EntryArrays& entries, const IndexLayout& layout)
    : function_(function),
      layout_(layout),
      splits_({function, "splits"}, Checked(function, given)[0], 3),
      rows_({function, "rows"}, given[1], 2),
      gains_({function, "gains"}, given[2], 2),
      observed_({function, "counts of ids"}, given[3], 5),
      tile_ids_({function, "counts of tiles"}, given[4], 5),
      rows_of_partition_(nb::cast<int64_t>(given[5])) {
  const auto [partitions, cores_of_device, minibatches, absolute] = layout;
  CheckRange({function, "rows of a partition"}, rows_of_partition_, 0, kPad);
  const int64_t devices = (cores + cores_of_device - 1) / cores_of_device;
  if (splits_.dim(0) < devices || splits_.dim(1) != cores_of_device || splits_.dim(2) < 1) {
    splits_.Misfit("[devices, SparseCores, samples + 1]");
  }
  rows_.Needs(devices * entries.room());
  gains_.Needs(devices * entries.room());
  if (observed_.dim(0) < devices || observed_.dim(1) != 2 || observed_.dim(2) != cores_of_device ||
      observed_.dim(3) < minibatches || observed_.dim(4) != partitions) {
    observed_.Misfit("[devices, 2, SparseCores, minibatches, partitions]");
  }
  if (tile_ids_.dim(0) < devices || tile_ids_.dim(1) != cores_of_device ||
      tile_ids_.dim(2) != observed_.dim(3) || tile_ids_.dim(3) != partitions) {
    tile_ids_.Misfit("[devices, SparseCores, minibatches, partitions, tiles]");
  }
}

SegmentCounts IndexArrays::CountsOf(int64_t core) const {
  const int64_t cores = layout_.cores_of_device, segments = observed_.dim(3) * layout_.partitions;
  int32_t* const ids = observed_.data() + (core / cores * 2 * cores + core % cores) * segments;
  return {ids, ids + cores * segments,
          tile_ids_.data() + core * segments * tile_ids_.dim(4), tile_ids_.dim(4)};
}

void IndexArrays::Fill(int64_t core, const EntryArrays& entries,
                       const Array<int32_t>& pointers) const {
  const int64_t device = core / layout_.cores_of_device, local = core % layout_.cores_of_device;
  const int64_t offset = device * entries.room(), samples = splits_.dim(2) - 1;
  const int32_t* const own =
      pointers.data() + device * pointers.dim(1) + local * layout_.columns();
  const Span span = SpanOf(layout_, local, own, entries.room());
  const Entries all = entries.OfDevice(device);
  const Source source{all.ids, all.samples, all.gains};
  const Target target{splits_.data() + core * (samples + 1), samples, span.begin, span.end,
                      rows_.data() + offset, gains_.data() + offset};
  CountSamples(source.samples, target);
  ScatterSegments(source, own, span, layout_, rows_of_partition_, target, CountsOf(core));
  const int64_t filled = samples > 0 ? target.splits[samples - 1] : target.begin;
  std::copy_backward(target.splits, target.splits + samples, target.splits + samples + 1);
  target.splits[0] = static_cast<int32_t>(target.begin);
  std::fill(target.rows + filled, target.rows + span.stop, kPad);
  std::fill(target.gains + filled, target.gains + span.stop, kPadGain);
}

void IndexArrays::FillInOrder(int64_t core, const List& list, int bits,
                              const EntryArrays& entries, const Array<int32_t>& pointers,
                              const CountArrays& counts) const {
  const int64_t device = core / layout_.cores_of_device, local = core % layout_.cores_of_device;
  const int32_t* const own =
      pointers.data() + device * pointers.dim(1) + local * layout_.columns();
  const Span span = SpanOf(layout_, local, own, entries.room());
  CheckRange({function_, "ids of a list"}, list.count, 0, span.end - span.begin);
  const int64_t offset = device * entries.room(), filled = span.begin + list.count;
  int32_t* const rows = rows_.data() + offset;
  float* const gains = gains_.data() + offset;
  int32_t* const splits = splits_.data() + core * (samples() + 1);
  std::iota(splits, splits + samples() + 1, static_cast<int32_t>(span.begin));
  CopyList(list, bits, static_cast<uint32_t>(rows_of_partition_), rows + span.begin,
           gains + span.begin);
  std::fill(rows + filled, rows + span.stop, kPad);
  std::fill(gains + filled, gains + span.stop, kPadGain);
  const SegmentCounts found = CountsOf(core);
  std::copy_n(counts.ids(core), layout_.partitions, found.ids);
  std::copy_n(counts.uniques(core), layout_.partitions, found.uniques);
  if (found.tiles == 0) return;
  int64_t start = span.begin;
  for (int64_t partition = 0; partition < layout_.partitions; ++partition) {
    CountTileIds(entries.OfDevice(device).samples + start, found.ids[partition], samples(),
                 found.tiles, found.tile_ids + partition * found.tiles);
    start = span.origin + Padded(own[partition]);
  }
}

namespace {

void BindIndexSamples(Range cores, const nb::tuple& buffers, nb::handle pointers,
                      std::tuple<int64_t, int64_t, int64_t, bool> shape,
                      const nb::tuple& index) {
  const auto [partitions, cores_of_device, minibatches, absolute] = shape;
  const IndexLayout layout{partitions, cores_of_device, minibatches, absolute};
  CheckRange({kFunction, "cores"}, cores.first, 0, cores.second);
  const EntryArrays entries(kFunction, buffers);
  const Array<int32_t> ends({kFunction, "pointers"}, pointers, 2);
  CheckRange({kFunction, "minibatches"}, minibatches, 1, kBuckets);
  CheckRange({kFunction, "partitions"}, partitions, 1, kPad);
  CheckPointers(kFunction, ends, entries, cores.second, cores_of_device, minibatches,
                layout.width());
  const IndexArrays arrays(kFunction, index, cores.second, entries, layout);
  nb::gil_scoped_release release;
  for (int64_t core = cores.first; core < cores.second; ++core) {
    arrays.Fill(core, entries, ends);
  }
}

}  // namespace

void BindIndex(nb::module_& m) {
  m.def("index_samples", &BindIndexSamples, "cores"_a, "buffers"_a, "pointers"_a, "shape"_a,
        "index"_a);
}

}  // namespace sdykit

// Lists to static buffers in one pass: sort, pack, pad.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>

#include "merge.h"
#include "packing.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace sdykit {

namespace {

struct Packing {
  KeyShape keys;
  int key_bits;
  int64_t cores_of_device;
  const LimitArrays& limits;
  bool absolute;
  bool defined;

  int64_t width() const { return std::max(keys.partitions, kAlignment); }
};

// Packs one sorted list into [position, end); row pointers count from `origin`.
//
// Returns the position after it, and adds to `lost` the ids over a limit and those without room.
int64_t PackList(const uint64_t* items, const List& list, const Packing& how, Entries out,
                 int64_t position, int64_t origin, int64_t end, int32_t* pointers, int32_t* ids,
                 int32_t* uniques, Range& lost) {
  int64_t item = 0;
  for (int64_t partition = 0; partition < how.keys.partitions; ++partition) {
    const int64_t stop = how.keys.End(items, item, list.count, partition);
    const Packed packed =
        PackRun(items, item, stop, list, how.keys.bits, out, position, end,
                how.limits[partition]);
    item = stop;
    lost.first += packed.dropped;
    lost.second += packed.missing;
    ids[partition] = static_cast<int32_t>(packed.ids);
    uniques[partition] = static_cast<int32_t>(packed.uniques);
    pointers[partition] = static_cast<int32_t>(packed.position - origin);
    position = Pad(out, packed.position, end);
  }
  std::fill(pointers + how.keys.partitions, pointers + how.width(),
            static_cast<int32_t>(position - origin));
  return position;
}

Range PackCores(Range cores, const Lists& lists, const Sorting& sorting, const Packing& how,
                const EntryArrays& out, const Array<int32_t>& pointers,
                const CountArrays& counts) {
  Range lost{0, 0};
  const int64_t room = out.room(), share = room / how.cores_of_device;
  int64_t position = 0;
  for (int64_t core = cores.first; core < cores.second; ++core) {
    const List list = lists[core - cores.first];
    const uint64_t* items =
        SortWords(list.words, list.count, how.key_bits, list.gains != nullptr, sorting);
    const int64_t device = core / how.cores_of_device, local = core % how.cores_of_device;
    const int64_t origin = how.absolute ? 0 : local * share;
    const int64_t end = how.absolute ? room : origin + share;
    if (!how.absolute || local == 0) position = origin;
    int32_t* const of_device = pointers.data() + device * pointers.dim(1);
    int32_t* const mine = of_device + local * how.width();
    const Entries entries = out.OfDevice(device);
    position = PackList(items, list, how, entries, position, origin, end, mine, counts.ids(core),
                        counts.uniques(core), lost);
    if (!how.defined || (how.absolute && local + 1 < how.cores_of_device)) continue;
    if (how.absolute) {
      std::fill(mine + how.width(), of_device + pointers.dim(1), static_cast<int32_t>(position));
    }
    Fill(entries, position, end);
  }
  return lost;
}

Range BindPackCores(Range cores, const nb::tuple& lists,
                    std::tuple<int64_t, int, int, int64_t> shape, const nb::tuple& scratch,
                    const nb::tuple& buffers, nb::handle pointers, const nb::tuple& counts,
                    const nb::tuple& limits, bool absolute, bool defined) {
  constexpr const char* kFunction = "pack_cores";
  const auto [partitions, key_bits, bits, cores_of_device] = shape;
  const LimitArrays given(kFunction, limits, partitions);
  const Packing how{{partitions, bits}, key_bits, cores_of_device, given, absolute, defined};
  how.keys.Check(kFunction);
  CheckRange({kFunction, "bits of a key"}, key_bits, 1, 32);
  const Lists own(kFunction, lists, cores);
  const SortingArrays sorting(kFunction, scratch, 3, own.longest());
  const EntryArrays out(kFunction, buffers);
  const Array<int32_t> ends({kFunction, "pointers"}, pointers, 2);
  CheckPointers(kFunction, ends, out, cores.second, cores_of_device, 1, how.width());
  const CountArrays counted(kFunction, counts, 2);
  counted.Needs(cores.second, partitions);
  nb::gil_scoped_release release;
  return PackCores(cores, own, sorting.sorting(), how, out, ends, counted);
}

}  // namespace

void BindPack(nb::module_& m) {
  m.attr("ALIGNMENT") = kAlignment;
  m.def("pack_cores", &BindPackCores, "cores"_a, "lists"_a, "shape"_a, "scratch"_a, "buffers"_a,
        "pointers"_a, "counts"_a, "limits"_a, "absolute"_a, "defined"_a);
}

}  // namespace sdykit

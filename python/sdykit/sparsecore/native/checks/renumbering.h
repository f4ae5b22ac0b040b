// Numbers of things of which only some stay: these move together, in their order.

#ifndef SDYKIT_SPARSECORE_CHECKS_RENUMBERING_H_
#define SDYKIT_SPARSECORE_CHECKS_RENUMBERING_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sdykit::checks {

class Renumbering {
 public:
  // Nothing stays yet of so many things.
  explicit Renumbering(size_t count) : stays_(count), numbers_(count) {}

  void Keep(uint32_t number) { stays_[number] = true; }

  // Leaves those of the things that stay; all that do are known.
  template <typename Thing>
  void MoveTogether(std::vector<Thing>& things) {
    uint32_t count = 0;
    for (size_t old = 0; old < things.size(); ++old) {
      if (!stays_[old]) continue;
      if (count != old) things[count] = std::move(things[old]);
      numbers_[old] = count++;
    }
    things.erase(things.begin() + count, things.end());
  }

  // The new number of a thing that has stayed.
  uint32_t operator[](uint32_t old) const { return numbers_[old]; }

 private:
  std::vector<bool> stays_;
  std::vector<uint32_t> numbers_;
};

}  // namespace sdykit::checks

#endif  // SDYKIT_SPARSECORE_CHECKS_RENUMBERING_H_

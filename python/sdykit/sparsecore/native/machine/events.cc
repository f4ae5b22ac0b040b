#include "events.h"

namespace sdykit::machine {

std::unique_ptr<Events> MakeEvents(Machine&, const Settings&, const Description&) {
  return nullptr;
}

}  // namespace sdykit::machine

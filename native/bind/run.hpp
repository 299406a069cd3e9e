// A run as Python holds it; shared by the files that bind what is done with one.
#pragma once
#include <memory>

#include "bind/bind.hpp"
#include "engine/run.hpp"

namespace subiso {

// A run and the arrays it reads, which must live as long.
struct BoundRun {
  nb::object kept;
  std::unique_ptr<Run> run;
};

}  // namespace subiso

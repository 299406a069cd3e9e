// Binds native/engine.
#include "bind/bind.hpp"

void subiso::bind_engine(nb::module_&) {}

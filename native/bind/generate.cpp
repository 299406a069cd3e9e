// Binds native/generate.
#include "bind/bind.hpp"

void subiso::bind_generate(nb::module_&) {}

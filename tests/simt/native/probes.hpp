// The shim's own test kernels by name.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace subiso {

using Probe = void (*)(const std::uint32_t* in, std::uint32_t* out);
const std::map<std::string, Probe>& probes();

}  // namespace subiso

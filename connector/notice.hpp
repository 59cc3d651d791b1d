// The one line on stderr with which Quarry says that it steps aside.
#pragma once

#include <string>

namespace quarry::connector {

enum class Notice { Option, Symbol, Version, Memory, Driver, Under, Witness, kCount };

// Prints "quarry: <text>" the first time a notice of this kind is given in a process.
void give_notice(Notice kind, const std::string& text) noexcept;

}  // namespace quarry::connector

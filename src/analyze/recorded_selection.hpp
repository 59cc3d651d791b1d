// The selection that a record carries, part of it behind the record itself.
#pragma once

#include <optional>
#include <span>

#include "model/selection.hpp"
#include "trace/reader.hpp"

namespace quarry::analyze {

// As model/selection encodes it.
template <typename Record>
std::string encoded_selection_in(const Record& record, const trace::Rest& rest) {
    const auto* first = reinterpret_cast<const char*>(record.selection.data());
    return rest.after({first, record.selection.size()}, record.selection_size);
}

template <typename Record>
std::optional<Selection> selection_in(const Record& record, const trace::Rest& rest) {
    const std::string bytes = encoded_selection_in(record, rest);
    auto selection = decode_selection(std::as_bytes(std::span(bytes)));
    return selection ? std::optional(std::move(*selection)) : std::nullopt;
}

}  // namespace quarry::analyze

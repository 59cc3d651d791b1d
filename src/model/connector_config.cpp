#include "model/connector_config.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace quarry {
namespace {

struct Pair {
    std::string_view key;
    std::string_view value;
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t";
    const size_t first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

Error problem(std::string_view text, const std::string& what) {
    return {"the connector string \"" + std::string(text) + "\" " + what +
            "; it must read key=value;key=value with the keys bytes, under, under_info, witness, "
            "trace, level, max_size"};
}

// The length of the pair that `text` starts with: up to the first `;` outside braces.
// Nothing where braces do not match.
std::optional<size_t> pair_length(std::string_view text) {
    int depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '{') ++depth;
        if (text[i] == '}' && --depth < 0) return std::nullopt;
        if (text[i] == ';' && depth == 0) return i;
    }
    if (depth != 0) return std::nullopt;
    return text.size();
}

std::string_view without_braces(std::string_view value) {
    return value.front() == '{' ? value.substr(1, value.size() - 2) : value;
}

// Whether a value that begins with a brace also ends with the one that belongs to it.
bool is_whole(std::string_view value) {
    int depth = 0;
    for (size_t i = 0; i < value.size(); ++i) {
        depth += value[i] == '{' ? 1 : value[i] == '}' ? -1 : 0;
        if (value.front() == '{' && depth == 0) return i + 1 == value.size();
    }
    return true;
}

constexpr std::array<std::pair<std::string_view, RecordLevel>, 3> kLevels{
    {{"objects", RecordLevel::Objects},
     {"accesses", RecordLevel::Accesses},
     {"io", RecordLevel::Io}}};

std::string_view name_of(RecordLevel wanted) {
    for (const auto& [name, level] : kLevels) {
        if (level == wanted) return name;
    }
    return "io";
}

bool* yes_or_no(ConnectorConfig& config, std::string_view key) {
    if (key == "bytes") return &config.bytes;
    if (key == "fetch") return &config.fetch;
    if (key == "paranoid") return &config.is_paranoid;
    return nullptr;
}

std::string* free_text(ConnectorConfig& config, std::string_view key) {
    if (key == "under_info") return &config.under_info;
    if (key == "witness") return &config.witness;
    if (key == "trace") return &config.trace;
    if (key == "listener") return &config.listener;
    if (key == "carved") return &config.carved;
    if (key == "originals") return &config.originals;
    if (key == "places") return &config.places;
    if (key == "fetched") return &config.fetched;
    return nullptr;
}

// The pieces that `;` separates, without their braces.
std::optional<std::vector<std::string>> pieces(std::string_view text) {
    std::vector<std::string> all;
    while (!text.empty()) {
        const std::optional<size_t> length = pair_length(text);
        if (!length) return std::nullopt;
        const std::string_view piece = text.substr(0, *length);
        if (piece.empty() || !is_whole(piece)) return std::nullopt;
        all.emplace_back(without_braces(piece));
        text.remove_prefix(std::min(*length + 1, text.size()));
    }
    return all;
}

// Sets one key; what is wrong with it, or nothing.
std::optional<std::string> apply(ConnectorConfig& config, Pair pair) {
    if (pair.value.empty()) return "gives no value for " + std::string(pair.key);
    if (!is_whole(pair.value)) return "has text behind the braces of " + std::string(pair.key);
    if (bool* answer = yes_or_no(config, pair.key)) {
        if (pair.value != "on" && pair.value != "off") {
            return "says " + std::string(pair.key) + "=" + std::string(pair.value) +
                   ", which is neither on nor off";
        }
        *answer = pair.value == "on";
    } else if (std::string* text = free_text(config, pair.key)) {
        *text = without_braces(pair.value);
    } else if (pair.key == "moved") {
        const auto moved = pieces(without_braces(pair.value));
        if (!moved) return "does not give one OLD=NEW after the other for moved";
        config.moved = *moved;
    } else if (pair.key == "under") {
        config.under = pair.value;
    } else if (pair.key == "level") {
        const auto level = record_level_named(pair.value);
        if (!level) {
            return "says level=" + std::string(pair.value) +
                   ", which is neither objects nor accesses nor io";
        }
        config.level = *level;
    } else if (pair.key == "max_size") {
        const auto [end, failure] = std::from_chars(
            pair.value.data(), pair.value.data() + pair.value.size(), config.max_size);
        if (failure != std::errc() || end != pair.value.data() + pair.value.size()) {
            return "says max_size=" + std::string(pair.value) + ", which is no number of bytes";
        }
    } else {
        return "has the unknown key \"" + std::string(pair.key) + "\"";
    }
    return std::nullopt;
}

}  // namespace

std::optional<RecordLevel> record_level_named(std::string_view name) {
    for (const auto& [known, level] : kLevels) {
        if (known == name) return level;
    }
    return std::nullopt;
}

Result<ConnectorConfig> parse_connector_config(std::string_view text) {
    ConnectorConfig config;
    std::string seen = ";";
    std::string_view rest = text;
    while (!trimmed(rest).empty()) {
        const std::optional<size_t> length = pair_length(rest);
        if (!length) return problem(text, "has braces that do not match");
        const std::string_view item = trimmed(rest.substr(0, *length));
        rest.remove_prefix(std::min(*length + 1, rest.size()));

        const size_t equals = item.find('=');
        if (equals == std::string_view::npos) {
            return problem(text, "has \"" + std::string(item) + "\" where key=value belongs");
        }
        const Pair pair{trimmed(item.substr(0, equals)), trimmed(item.substr(equals + 1))};
        const std::string mark = ";" + std::string(pair.key) + ";";
        if (seen.find(mark) != std::string::npos) {
            return problem(text, "gives " + std::string(pair.key) + " twice");
        }
        seen += mark.substr(1);
        if (const auto wrong = apply(config, pair)) return problem(text, *wrong);
    }
    if (config.under.empty() && !config.under_info.empty()) {
        return problem(text, "gives under_info without under");
    }
    return config;
}

std::string to_string(const ConnectorConfig& config) {
    std::string text = config.bytes ? "bytes=on" : "bytes=off";
    if (!config.under.empty()) text += ";under=" + config.under;
    if (!config.under_info.empty()) text += ";under_info={" + config.under_info + "}";
    if (!config.witness.empty()) text += ";witness={" + config.witness + "}";
    if (!config.trace.empty()) text += ";trace={" + config.trace + "}";
    if (config.level != RecordLevel::Io) text += ";level=" + std::string(name_of(config.level));
    if (config.max_size != 0) text += ";max_size=" + std::to_string(config.max_size);
    if (!config.listener.empty()) text += ";listener={" + config.listener + "}";
    if (!config.carved.empty()) text += ";carved={" + config.carved + "}";
    if (!config.originals.empty()) text += ";originals={" + config.originals + "}";
    if (!config.places.empty()) text += ";places={" + config.places + "}";
    std::string moved;
    for (const std::string& map : config.moved) moved += (moved.empty() ? "{" : ";{") + map + "}";
    if (!moved.empty()) text += ";moved={" + moved + "}";
    if (!config.fetched.empty()) text += ";fetched={" + config.fetched + "}";
    if (!config.fetch) text += ";fetch=off";
    if (config.is_paranoid) text += ";paranoid=on";
    return text;
}

}  // namespace quarry

#include <quarry/path_map.hpp>

namespace quarry {

size_t equals_in_map(const std::string& map) {
    const size_t before_root = map.find("=/");
    return before_root != std::string::npos ? before_root : map.find('=');
}

std::string mapped_path(const std::string& path, const std::vector<std::string>& maps) {
    const std::string* nearest = nullptr;
    for (const std::string& map : maps) {
        const size_t equals = equals_in_map(map);
        if (equals == std::string::npos) continue;
        if (!(path + "/").starts_with(map.substr(0, equals) + "/")) continue;
        if (nearest == nullptr || equals > equals_in_map(*nearest)) nearest = &map;
    }
    if (nearest == nullptr) return path;
    const size_t equals = equals_in_map(*nearest);
    return nearest->substr(equals + 1) + path.substr(equals);
}

}  // namespace quarry

#include <quarry/path_map.hpp>

namespace quarry {

size_t equals_in_map(const std::string& map) {
    const size_t before_root = map.find("=/");
    return before_root != std::string::npos ? before_root : map.find('=');
}

std::string mapped_path(const std::string& path, const std::string& map) {
    const size_t equals = equals_in_map(map);
    if (equals == std::string::npos || !(path + "/").starts_with(map.substr(0, equals) + "/"))
        return path;
    return map.substr(equals + 1) + path.substr(equals);
}

}  // namespace quarry

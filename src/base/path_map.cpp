#include <quarry/path_map.hpp>

namespace quarry {

std::string mapped_path(const std::string& path, const std::string& map) {
    const size_t equals = map.find('=');
    if (equals == std::string::npos || !(path + "/").starts_with(map.substr(0, equals) + "/"))
        return path;
    return map.substr(equals + 1) + path.substr(equals);
}

}  // namespace quarry

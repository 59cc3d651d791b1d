#include <map>
#include <nlohmann/json.hpp>
#include <quarry/advice.hpp>

namespace quarry {
namespace {

using Json = nlohmann::ordered_json;

std::map<std::string, double Thresholds::*> by_name() {
    return {
#define QUARRY_THRESHOLD(name, value) {#name, &Thresholds::name},
        QUARRY_THRESHOLDS(QUARRY_THRESHOLD)
#undef QUARRY_THRESHOLD
    };
}

}  // namespace

Result<Thresholds> thresholds_from_json(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return Error{"it is not a JSON object"};
    const auto names = by_name();
    Thresholds thresholds;
    for (const auto& [name, value] : json.items()) {
        const auto known = names.find(name);
        if (known == names.end()) return Error{"there is no threshold \"" + name + "\""};
        if (!value.is_number() || value.get<double>() < 0)
            return Error{"\"" + name + "\" is not a number of zero or more"};
        thresholds.*known->second = value.get<double>();
    }
    return thresholds;
}

std::string thresholds_as_json(const Thresholds& thresholds) {
    Json json;
#define QUARRY_THRESHOLD(name, value) json[#name] = thresholds.name;
    QUARRY_THRESHOLDS(QUARRY_THRESHOLD)
#undef QUARRY_THRESHOLD
    return json.dump(2) + "\n";
}

}  // namespace quarry

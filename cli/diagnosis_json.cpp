#include "diagnosis_json.hpp"

#include <nlohmann/json.hpp>

namespace quarry::cli {
namespace {

using Json = nlohmann::ordered_json;

const char* health_name(Check::Health health) {
    switch (health) {
        case Check::Health::Works:
            return "works";
        case Check::Health::Fails:
            return "fails";
        case Check::Health::Noted:
            return "noted";
    }
    return "";
}

Json check_as_json(const Check& check) {
    return {{"health", health_name(check.health)},
            {"subject", check.subject},
            {"hdf5", check.hdf5},
            {"library", check.library},
            {"detail", check.detail},
            {"remedy", check.remedy}};
}

}  // namespace

std::string diagnosis_as_json(const Diagnosis& diagnosis) {
    Json groups = Json::array();
    for (const CheckGroup& group : diagnosis.groups) {
        Json checks = Json::array();
        for (const Check& check : group.checks) checks.push_back(check_as_json(check));
        groups.push_back({{"title", group.title}, {"checks", checks}});
    }
    const Json whole = {{"healthy", diagnosis.healthy},
                        {"verdict", diagnosis.verdict},
                        {"next", diagnosis.next},
                        {"groups", groups}};
    // File names need not be UTF-8.
    return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quarry::cli

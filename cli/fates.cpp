#include "fates.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace quarry::cli {

using Json = nlohmann::ordered_json;

uint64_t left_out(const DatasetFate& dataset) {
    return dataset.stored - std::min(dataset.kept, dataset.stored);
}

std::string fates_json(const std::vector<FileFate>& files) {
    Json json{{"files", Json::array()}};
    for (const FileFate& file : files) {
        Json datasets = Json::array();
        for (const DatasetFate& dataset : file.datasets)
            datasets.push_back({{"paths", dataset.paths},
                                {"kept", dataset.remains == Remains::Kept},
                                {"what", word_for(dataset.remains)},
                                {"bytes", dataset.stored},
                                {"kept_bytes", dataset.kept},
                                {"saved", left_out(dataset)},
                                {"why", dataset.why}});
        json["files"].push_back({{"original", file.input.path},
                                 {"copy", file.copy},
                                 {"problem", file.problem},
                                 {"why_whole", file.why_whole},
                                 {"size", file.size_before},
                                 {"copy_size", file.size_after},
                                 {"tasks", file.input.tasks},
                                 {"datasets", datasets}});
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace quarry::cli

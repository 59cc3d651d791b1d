// What a trace tells, in forms for people and for other programs.
#pragma once

#include <quarry/advice.hpp>
#include <string>

namespace quarry {

// What becomes one in a graph.
struct Grouping {
    enum class Tasks { Each, Family, Stage, Host, Window };
    enum class Data { Object, File, Pattern, Directory };
    Tasks tasks = Tasks::Each;
    double window_seconds = 0;
    Data data = Data::Object;
};
// As "family,file" or "window:60".
Result<Grouping> grouping_from_text(const std::string& text);

// The graph of tasks, files and objects; see docs/formats/graph.md.
enum class GraphFormat { Json, Dot, GraphMl, ProvJson, RoCrate };
std::string graph_text(const Dataflow& flow, GraphFormat format, const Grouping& grouping = {});

// What ran, what it moved and what matters most, in whole sentences.
std::vector<std::string> overview_of(const Advice& advice);
// What of it all is to be taken with care: what was not seen, what could not be credited.
std::vector<std::string> reservations_of(const TraceFacts& facts);

// All that the page shows; see docs/formats/report.md.
std::string report_as_json(const Advice& advice, const Grouping& grouping);
// The page with that in it: one file, which needs no other.
std::string report_as_page(const std::string& json);

}  // namespace quarry

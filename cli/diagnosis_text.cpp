#include "diagnosis_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace quarry::cli {
namespace {

using Health = Check::Health;

std::string mark(Health health, const Style& style) {
    switch (health) {
        case Health::Works:
            return style.good(style.signs ? "✓" : "ok  ");
        case Health::Fails:
            return style.bad(style.signs ? "✗" : "FAIL");
        case Health::Noted:
            return style.faint(style.signs ? "·" : "-   ");
    }
    return {};
}

struct Widths {
    size_t subject = 0;
    size_t hdf5 = 0;
};

Widths widths_of(const Diagnosis& diagnosis) {
    Widths widths;
    for (const CheckGroup& group : diagnosis.groups)
        for (const Check& check : group.checks) {
            widths.subject = std::max(widths.subject, check.subject.size());
            widths.hdf5 = std::max(widths.hdf5, check.hdf5.size());
        }
    return widths;
}

std::string check_as_text(const Check& check, Widths widths, const Style& style) {
    const std::string version = check.hdf5.empty() ? "" : "HDF5 " + check.hdf5;
    std::string text =
        fmt::format("  {} {:<{}}  {:<{}}  {}\n", mark(check.health, style), check.subject,
                    widths.subject, version, widths.hdf5 + (widths.hdf5 ? 5 : 0), check.detail);
    if (!check.library.empty()) text += fmt::format("      {}\n", style.faint(check.library));
    if (!check.remedy.empty())
        text += fmt::format("      {} {}\n", style.signs ? "→" : "->", check.remedy);
    return text;
}

}  // namespace

std::string diagnosis_as_text(const Diagnosis& diagnosis, const Style& style) {
    const Widths widths = widths_of(diagnosis);
    std::string text;
    for (const CheckGroup& group : diagnosis.groups) {
        text += style.strong(group.title) + "\n";
        for (const Check& check : group.checks) text += check_as_text(check, widths, style);
        text += '\n';
    }
    text += style.strong(diagnosis.verdict);
    if (!diagnosis.next.empty()) text += " Next: " + diagnosis.next;
    return text + "\n";
}

}  // namespace quarry::cli

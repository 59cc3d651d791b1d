// A base of what goes through the records of one process and counts them to tasks.
#pragma once

#include "analyze/trace_index.hpp"

namespace quarry::analyze {

class TaskVisitor {
public:
    TaskVisitor(const TraceIndex& index, const ProcessTables& tables)
        : index_(index), tables_(tables), task_(index.first_task_of(tables)) {}

    void operator()(const trace::Task& record, const trace::Rest&) {
        task_ = index_.task_named(tables_.text(record.name));
        task_begins();
    }

protected:
    ~TaskVisitor() = default;
    virtual void task_begins() {}

    const TraceIndex& index_;
    const ProcessTables& tables_;
    uint32_t task_;  // that the process works for, by now; kNobody if none is known
};

}  // namespace quarry::analyze

// What a trace says about its process: command, place, rank, and the task it works for.
#pragma once

#include "trace/writer.hpp"

namespace quarry::trace {

// Names the task that a process works for, or its step; a program may change it while it runs.
inline constexpr const char* kTaskVariable = "QUARRY_TASK";

// In which workflow managers and batch systems name what they run, the more particular first.
inline constexpr std::array kWorkflowVariables{
    "AIRFLOW_CTX_TASK_ID", "SNAKEMAKE_RULE", "NXF_TASK_NAME", "DASK_WORKER_NAME", "SLURM_JOB_NAME"};

void record_process(Writer& writer) noexcept;

// Looks whether the program has announced another step since. Called before every access.
void watch_task(Writer& writer) noexcept;

}  // namespace quarry::trace

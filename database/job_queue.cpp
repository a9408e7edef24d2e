// SPDX-License-Identifier: MIT

#include "database/job_queue.h"

#include <utility>

#include "database/job_store.h"
#include "database/job_worker.h"

namespace volt::database {

JobQueue::JobQueue(std::unique_ptr<JobStore> store, std::string_view kind, JobQueueOptions options)
    : worker_(std::make_shared<JobWorker>(std::move(store), kind, std::move(options))) {}

Task<> JobQueue::make_table() const {
  const std::shared_ptr<JobWorker> worker = worker_;
  co_await worker->table().make_table();
}

Task<bool> JobQueue::push(std::string payload, PushOptions options) const {
  const std::shared_ptr<JobWorker> worker = worker_;
  NewJob job = worker->new_job(std::move(payload), std::move(options));
  const bool added = co_await worker->table().push(std::move(job));
  if (added) worker->notify();
  co_return added;
}

Task<> JobQueue::work(std::function<Task<>(Job)> handler) const { return JobWorker::work(worker_, std::move(handler)); }

Task<std::vector<DeadJob>> JobQueue::dead(int limit) const {
  const std::shared_ptr<JobWorker> worker = worker_;
  co_return co_await worker->table().dead(limit);
}

Task<bool> JobQueue::retry(std::int64_t id) const {
  const std::shared_ptr<JobWorker> worker = worker_;
  const bool retried = co_await worker->table().retry(id);
  if (retried) worker->notify();
  co_return retried;
}

void JobQueue::report_metrics(MetricSink& sink) const { worker_->report_metrics(sink); }

}  // namespace volt::database

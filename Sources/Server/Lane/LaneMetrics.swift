import Synchronization

/// What the lane did since the start; written by the lane alone, read by whoever asks for metrics.
final class LaneMetrics: Sendable {
    private let batches = Mutex(Histogram.batchSizes)
    private let commits = Mutex(Histogram.durations)
    private let failed = Atomic<Int>(0)

    /// Counts a batch that is durable; `nanoseconds` is what its commit alone took.
    func committed(requests: Int, nanoseconds: UInt64) {
        batches.withLock { $0.record(UInt64(requests)) }
        commits.withLock { $0.record(nanoseconds) }
    }

    /// Counts a batch of which nothing was done.
    func failedBatch() {
        failed.add(1, ordering: .relaxed)
    }

    func write(to text: inout PrometheusText) {
        text.histograms(
            "holdfast_lane_batch_requests", "Requests that shared one commit.", ["": batches.withLock { $0 }])
        text.histograms(
            "holdfast_lane_commit_duration_seconds", "How long a commit took until it was on the disk.",
            ["": commits.withLock { $0 }])
        text.value(
            "holdfast_lane_failed_batches_total", .counter, "Batches that were undone as a whole.",
            failed.load(ordering: .relaxed))
    }
}

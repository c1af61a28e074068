import CampaignCore
import FoundationEssentials

extension Service {
    /// `outcome`, with its duration counted and at level `debug` logged as soon as its answer is known and durable.
    func observed(_ outcome: Outcome, of request: Request, on route: String, began: UInt64) -> Outcome {
        // Read only for the log, because it costs as much as answering.
        let requestId = log.writes(.debug) ? requestId(of: request) : nil
        switch outcome {
        case .now(let response):
            finished(response, on: route, requestId, began: began)
            return outcome
        case .onLane(let work, let answered):
            return .onLane(work) { [self] response in
                finished(response, on: route, requestId, began: began)
                answered(response)
            }
        }
    }

    private func finished(_ response: Response, on route: String, _ requestId: UUID?, began: UInt64) {
        let nanoseconds = environment.monotonicNanoseconds() - began
        counters.record(nanoseconds: nanoseconds, on: route)
        // The lane's own faults, and its refusals when it is full or late.
        if let code = response.uncounted { count(Problem(code, "", requestId: requestId), on: route) }
        guard log.writes(.debug) else { return }
        log.write(
            .debug, "request", at: environment.now(),
            [
                .init("route", .string(route)), .init("status", .integer(Int64(response.status))),
                .init("durationMicroseconds", .integer(Int64(nanoseconds / 1000))),
                .init("requestId", .text(requestId?.lowercaseString)),
            ])
    }

    private func requestId(of request: Request) -> UUID? {
        JSON.read(request.body)?["requestId"]?.string.flatMap { UUID(strict: $0) }
    }
}

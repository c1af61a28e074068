import Foundation
import TestSupport
import Testing

/// The built program under the load scripts of `Fixtures/Load`, which keep what clients received and read the database
/// themselves.
@Suite struct `A service that loses its power, its disk or its database` {
    private func script(_ name: String, _ arguments: [String]) throws -> ChildResult {
        let script = Surroundings.project.appendingPathComponent("Fixtures/Load/\(name)").path
        return try run(
            "python3", [script, Surroundings.holdfast] + arguments, environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    }

    @Test(.timeLimit(.minutes(3)))
    func `kill -9 under load loses no answer, and none is given twice differently`() throws {
        let result = try script("crash.py", ["--rounds", "2"])
        try #require(result.exitCode == 0, "\(result.errorText)")
        let total = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Int])
        #expect(total["kills"] == 2 && total["answers"] ?? 0 > 100, "\(total)")
        #expect(total["unanswered"] ?? 0 > 0, "the kill came while requests were on their way: \(total)")
    }

    @Test(.timeLimit(.minutes(3)))
    func `kill -9 amid deliveries loses no notification and applies none twice`() throws {
        let result = try script("deliveries.py", ["--deliveries", "500", "--kills", "2"])
        try #require(result.exitCode == 0, "\(result.errorText)")
        let total = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
        #expect(total["kills"] as? Int == 2 && total["unanswered"] as? Int ?? 0 > 0, "\(total)")
        let outcomes = try #require(total["outcomes"] as? [String: Int])
        #expect(outcomes["folded"] ?? 0 > 200 && outcomes["duplicate"] ?? 0 > 20, "\(outcomes)")
        #expect(outcomes["failed"] == nil && outcomes["conflicting"] == nil, "\(outcomes)")
    }

    @Test(.timeLimit(.minutes(3)))
    func `kill -9 while 64 clients empty a pool gives no code twice and loses none`() throws {
        let result = try script("claims.py", ["--codes", "2000", "--kills", "3"])
        try #require(result.exitCode == 0, "\(result.errorText)")
        let total = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Int])
        #expect(total["kills"] == 3 && total["claims"] == 2000 && total["refused"] ?? 0 >= 64, "\(total)")
        #expect(total["unanswered"] ?? 0 > 0 && total["repeated"] ?? 0 > 0, "\(total)")
    }

    @Test(
        .timeLimit(.minutes(3)),
        arguments: [
            ("full", []), ("fileLimit", []), ("readOnly", []), ("locked", []), ("full", ["--notifications"]),
        ])
    func `refuses with 503 and releases nothing while it lasts, and goes on by itself`(
        fault: String, traffic: [String]
    ) throws {
        let result = try script("faults.py", [fault] + traffic)
        try #require(result.exitCode == 0, "\(result.errorText)")
        let told = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any])
        #expect(told["refused"] as? Int ?? 0 > 0 && told["answered"] as? Int ?? 0 > 0, "\(told)")
        #expect(told["secondsToRecovery"] as? Double ?? .infinity < 10, "\(told)")
    }
}

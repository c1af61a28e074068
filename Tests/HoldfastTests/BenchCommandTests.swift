import Foundation
import TestSupport
import Testing

/// `holdfast bench`, run as briefly as it can be; how fast anything is depends on the machine and is not judged.
@Suite struct BenchCommandTests {
    @Test func `bench tells each figure beside its yardstick, as JSON`() throws {
        let result = try run(Surroundings.holdfast, ["bench", "--seconds", "1", "--format", "json"])
        try #require(result.exitCode == 0, "\(result.errorText)")
        let report = try object(result)
        let yardstick = try #require(report["yardstick"] as? [String: Any])
        #expect(yardstick["name"] as? String == "openssl speed ecdsap256")
        let signature = try #require(yardstick["signatureMicroseconds"] as? Double)
        #expect(signature > 1)

        let figures = try #require(report["figures"] as? [[String: Any]])
        #expect(
            Set(figures.compactMap { $0["bench"] as? String }) == [
                "signature", "decide", "sign", "notifications", "codes", "claims", "start",
            ])
        for figure in figures { #expect(try #require(figure["value"] as? Double) > 0, "\(figure)") }
        let judged = figures.filter { $0["isMet"] is Bool }
        #expect(
            judged.compactMap { $0["target"] as? String } == [
                "at most 1.0", "at most 1.0", "at most 1.0", "at most 4.5", "at most 6.0", "under 25 ms", "at most 3.5",
                "under 100 ms", "at most 0.3",
                "under 256 MiB", "at most 1.0", "over 8000 /s", "under 200 ms",
                "under 64 MiB",
            ])
        // The ratio is what a reader computes from the two figures beside it, to the three digits that are told.
        for figure in judged.prefix(5) {
            let value = try #require(figure["value"] as? Double)
            let ratio = try #require(figure["ratio"] as? Double)
            #expect(abs(ratio - value / signature) < 0.01)
        }
    }

    @Test func `bench without openssl says that its own signer is the yardstick`() throws {
        let result = try run(
            Surroundings.holdfast, ["bench", "signature", "--seconds", "1"], environment: ["PATH": "/nonexistent"])
        #expect(result.exitCode == 0, "\(result.errorText)")
        #expect(result.text.contains("Yardstick: this program's own signer: "))
        #expect(result.text.contains("signature: one verification in this process"))
    }

    @Test func `bench asks for a name it knows`() throws {
        let result = try run(Surroundings.holdfast, ["bench", "sing"])
        #expect(result.exitCode == 64)
        #expect(
            result.errorText.contains(
                "'sing' is nothing to measure; it is one of signature, decide, sign, notifications, codes, claims, start; did you mean 'sign'?"
            ))
    }
}

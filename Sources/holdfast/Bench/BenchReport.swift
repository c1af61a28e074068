import CampaignCore
import FoundationEssentials

/// What a run of `holdfast bench` found, as text and as JSON.
struct BenchReport {
    private let figures: [BenchFigure]
    private let profile: [ProfileLine]
    private let notes: [String]
    private let yardstick: SignatureYardstick

    init(session: BenchSession) {
        figures = session.figures
        profile = session.profile
        notes = session.notes
        yardstick = session.yardstick
    }

    var text: String {
        var rows = [["", "FIGURE", "YARDSTICK", "RATIO", "TARGET"]]
        rows += figures.map { figure in
            [
                "\(figure.bench): \(figure.what)", "\(short(figure.value)) \(figure.unit.rawValue)",
                yardstickText(figure) ?? "-", ratio(figure).map { decimal($0, 2) } ?? "-", targetText(figure),
            ]
        }
        var lines = columns(rows)
        if !profile.isEmpty {
            lines += ["", "Where the server's time goes, for each answer:"]
            lines += columns(
                profile.map { line in
                    [
                        line.load, line.thread, line.library, "\(decimal(line.percent, 1)) %",
                        "\(decimal(line.microseconds, 1)) us",
                    ]
                })
        }
        if !notes.isEmpty { lines += [""] + notes }
        let cores = ProcessInfo.processInfo.activeProcessorCount
        lines += [
            "",
            "Yardstick: \(yardstick.name): \(decimal(yardstick.signatureMicroseconds, 1)) us a signature, "
                + "\(decimal(yardstick.verificationMicroseconds, 1)) us a verification; \(cores) cores.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    var json: JSON {
        [
            "yardstick": [
                "name": .string(yardstick.name),
                "signatureMicroseconds": number(yardstick.signatureMicroseconds),
                "verificationMicroseconds": number(yardstick.verificationMicroseconds),
            ],
            "cores": .integer(Int64(ProcessInfo.processInfo.activeProcessorCount)),
            "figures": .array(figures.map(json)),
            "profile": .array(
                profile.map { line in
                    [
                        "load": .string(line.load), "thread": .string(line.thread),
                        "library": .string(line.library), "percent": number(line.percent),
                        "microseconds": number(line.microseconds),
                    ]
                }),
            "notes": .array(notes.map(JSON.string)),
        ]
    }

    private func json(_ figure: BenchFigure) -> JSON {
        [
            "bench": .string(figure.bench), "what": .string(figure.what), "value": number(figure.value),
            "unit": .string(figure.unit.rawValue),
            "yardstick": figure.yardstick.map { ["what": .string(name($0)), "value": number(value($0))] } ?? .null,
            "ratio": ratio(figure).map(number) ?? .null,
            "target": figure.target.map { .string(text($0, figure.unit)) } ?? .null,
            "isMet": isMet(figure).map(JSON.bool) ?? .null,
        ]
    }

    private func value(_ yardstick: BenchFigure.Yardstick) -> Double {
        switch yardstick {
        case .signature: self.yardstick.signatureMicroseconds
        case .verification: self.yardstick.verificationMicroseconds
        case .measured(_, let value): value
        }
    }

    private func name(_ yardstick: BenchFigure.Yardstick) -> String {
        switch yardstick {
        case .signature: "one signature"
        case .verification: "one verification"
        case .measured(let what, _): what
        }
    }

    private func yardstickText(_ figure: BenchFigure) -> String? {
        figure.yardstick.map { "\(name($0)) \(short(value($0))) \(figure.unit.rawValue)" }
    }

    private func ratio(_ figure: BenchFigure) -> Double? {
        guard let yardstick = figure.yardstick, value(yardstick) > 0 else { return nil }
        return figure.value / value(yardstick)
    }

    private func isMet(_ figure: BenchFigure) -> Bool? {
        switch figure.target {
        case nil: nil
        case .ratioAtMost(let limit): ratio(figure).map { $0 <= limit }
        case .valueBelow(let limit): figure.value < limit
        case .valueAbove(let limit): figure.value > limit
        }
    }

    private func text(_ target: BenchFigure.Target, _ unit: BenchFigure.Unit) -> String {
        switch target {
        case .ratioAtMost(let limit): "at most \(decimal(limit, 1))"
        case .valueBelow(let limit): "under \(decimal(limit, 0)) \(unit.rawValue)"
        case .valueAbove(let limit): "over \(decimal(limit, 0)) \(unit.rawValue)"
        }
    }

    private func targetText(_ figure: BenchFigure) -> String {
        guard let target = figure.target, let isMet = isMet(figure) else { return "-" }
        return text(target, figure.unit) + (isMet ? ", met" : ", MISSED")
    }

    private func number(_ value: Double) -> JSON { .number(decimal(value, 3)) }

    /// Three digits or more: `0.512`, `26.3`, `8087`.
    private func short(_ value: Double) -> String { decimal(value, value < 10 ? 2 : value < 1000 ? 1 : 0) }
}

/// `value` with `digits` decimals, rounded; digits of a fraction are all there.
func decimal(_ value: Double, _ digits: Int) -> String {
    var scale: Int64 = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int64((value * Double(scale)).rounded())
    let sign = scaled < 0 ? "-" : ""
    let (whole, part) = scaled.magnitude.quotientAndRemainder(dividingBy: scale.magnitude)
    guard digits > 0 else { return "\(sign)\(whole)" }
    let fraction = String(part)
    return "\(sign)\(whole)." + String(repeating: "0", count: digits - fraction.count) + fraction
}

/// Writes metrics in Prometheus' text format, version 0.0.4; the same values give the same bytes.
struct PrometheusText {
    private(set) var text = ""

    /// What a number may do: a counter only grows, a gauge goes both ways.
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    /// One value with its labels, in order.
    struct Sample {
        let labels: [(name: String, value: String)]
        let value: String

        init(_ value: Int, _ labels: [(name: String, value: String)] = []) {
            self.labels = labels
            self.value = String(value)
        }
    }

    /// A metric with one value and no labels.
    mutating func value(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        samples(name, kind, help, [Sample(value)])
    }

    /// An instant, in seconds since 1970 as Prometheus counts.
    mutating func seconds(_ name: String, _ help: String, milliseconds: Int64) {
        head(name, .gauge, help)
        line(name, [], "\(Double(milliseconds) / 1000)")
    }

    /// A metric with several values, sorted by their labels.
    mutating func samples(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        head(name, kind, help)
        for sample in samples.sorted(by: { Self.labels($0.labels) < Self.labels($1.labels) }) {
            line(name, sample.labels, sample.value)
        }
    }

    /// A histogram for each value of the label `label`, or one without labels when that is nil.
    mutating func histograms(_ name: String, _ help: String, label: String? = nil, _ histograms: [String: Histogram]) {
        head(name, .histogram, help)
        for (word, histogram) in histograms.sorted(by: { $0.key < $1.key }) {
            let labels = label.map { [(name: $0, value: word)] } ?? []
            var count = 0
            for (index, bound) in histogram.bounds.enumerated() {
                count += histogram.counts[index]
                let end = "\(Double(bound) / histogram.valuesPerUnit)"
                line(name + "_bucket", labels + [(name: "le", value: end)], String(count))
            }
            count += histogram.counts.last ?? 0
            line(name + "_bucket", labels + [(name: "le", value: "+Inf")], String(count))
            line(name + "_sum", labels, "\(Double(histogram.sum) / histogram.valuesPerUnit)")
            line(name + "_count", labels, String(count))
        }
    }

    private mutating func head(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func line(_ name: String, _ labels: [(name: String, value: String)], _ value: String) {
        text += "\(name)\(Self.labels(labels)) \(value)\n"
    }

    private static func labels(_ labels: [(name: String, value: String)]) -> String {
        if labels.isEmpty { return "" }
        return "{" + labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

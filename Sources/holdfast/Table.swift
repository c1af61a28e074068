import YAML

/// Rows as lines with their cells under one another; what cannot be seen in a cell is escaped.
func columns(_ rows: [[String]]) -> [String] {
    let rows = rows.map { $0.map { visible($0) } }
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
        let padded = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        let line = padded.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}

extension OneOf {
    /// Whether some value is allowed by both; what nobody has heard of may be anything else.
    func overlaps(_ other: Self) -> Bool {
        switch (self, other) {
        case (.any(let one), .any(let two)): !one.isDisjoint(with: two)
        case (.any(let one), .not(let two)), (.not(let two), .any(let one)): !one.isSubset(of: two)
        case (.not, .not): true
        }
    }

    /// Whether `other` allows every value that this one does.
    func isWithin(_ other: Self) -> Bool {
        switch (self, other) {
        case (.any(let one), .any(let two)): one.isSubset(of: two)
        case (.any(let one), .not(let two)): one.isDisjoint(with: two)
        case (.not(let one), .not(let two)): two.isSubset(of: one)
        case (.not, .any): false
        }
    }

    /// The values of `all` that are allowed.
    func allowed(of all: some Sequence<Value>) -> Set<Value> {
        Set(all.filter { holds($0) })
    }
}

extension SpanRange {
    private var lower: Int64 { atLeastMilliseconds ?? 0 }
    private var upper: Int64 { atMostMilliseconds ?? .max }

    /// Whether both hold for more than an instant; rungs of a ladder may touch.
    func overlaps(_ other: SpanRange) -> Bool {
        max(lower, other.lower) < min(upper, other.upper)
    }

    func isWithin(_ other: SpanRange) -> Bool { lower >= other.lower && upper <= other.upper }

    func contains(_ milliseconds: Int64) -> Bool { (lower...max(lower, upper)).contains(milliseconds) }
}

/// A condition that is absent holds for everything.
func overlap<Value>(_ one: OneOf<Value>?, _ other: OneOf<Value>?) -> Bool {
    guard let one, let other else { return true }
    return one.overlaps(other)
}

func overlap(_ one: SpanRange?, _ other: SpanRange?) -> Bool {
    guard let one, let other else { return true }
    return one.overlaps(other)
}

/// Whether `wider` holds whenever `narrower` does.
func isWithin<Value>(_ narrower: OneOf<Value>?, _ wider: OneOf<Value>?) -> Bool {
    guard let wider else { return true }
    return narrower?.isWithin(wider) ?? false
}

func isWithin(_ narrower: SpanRange?, _ wider: SpanRange?) -> Bool {
    guard let wider else { return true }
    return narrower?.isWithin(wider) ?? false
}

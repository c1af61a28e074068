/// Offer codes such as the App Store makes: 18 letters and digits, all of them random.
struct RandomCodes {
    static let length = 18

    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    private var random = SystemRandomNumberGenerator()

    mutating func next() -> [UInt8] {
        var code = [UInt8](repeating: 0, count: Self.length)
        // 64 random bits are enough for nine of 36 characters, and more.
        var bits: UInt64 = 0
        for index in code.indices {
            if index % 9 == 0 { bits = random.next() }
            code[index] = Self.alphabet.utf8Start[Int(bits % 36)]
            bits /= 36
        }
        return code
    }
}

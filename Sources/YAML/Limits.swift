/// What a text may cost to read. Each number is far above what a hand-written file needs.
public enum YAMLLimits {
    /// A megabyte of configuration or campaign is a wrong file; it also bounds memory, about a hundred bytes a byte.
    public static let fileBytes = 1 << 20

    /// libyaml's time grows with the square of the depth, and a tree is walked by recursion; our files need about eight.
    public static let depth = 32

    /// A hundred years. Longer is a slip of the keyboard, and a sum of two such spans stays far from overflow.
    public static let spanMilliseconds: Int64 = 36_500 * 24 * 60 * 60 * 1000

    /// Values are shown up to here in a message, which stays one line.
    public static let quotedCharacters = 80

    /// A piece of Base64 this long may be a key: the shortest private key in PKCS #8 (Ed25519) has 64 characters, which is
    /// also one line of PEM.
    static let keyCharacters = 64

    /// Longer words are not compared: the comparison takes time with the square, and no key of ours comes near.
    static let comparedCharacters = 64
}

// The languages whose words have stems here: those of Snowball.

/// A language whose words are reduced to stems by Snowball's algorithm for it.
public enum TextLanguage: String, Hashable, Sendable, Codable, CaseIterable {
    /// A language of Snowball's; the raw value is the name of its algorithm there.
    case arabic, armenian, basque, catalan, danish, dutch, english, finnish, french, german, greek, hindi, hungarian
    /// A language of Snowball's; the raw value is the name of its algorithm there.
    case indonesian, irish, italian, lithuanian, nepali, norwegian, portuguese, romanian, russian, serbian, spanish
    /// A language of Snowball's; the raw value is the name of its algorithm there.
    case swedish, tamil, turkish, yiddish
}

extension TextLanguage {
    /// A number that tells stems of one version of the library from those of another by those of some words: one that
    /// changes means other stems, one that stays says nothing of other words.
    /// - Complexity: O(1), some microseconds.
    package var stemsVersion: UInt64 {
        guard let stemmer = Stemmer.borrow(self) else { return 0 }
        defer { Stemmer.giveBack(stemmer) }
        // FNV-1a.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for word in Self.probes.split(separator: " ") {
            var stem = Array(word.utf8)
            stemmer.stem(&stem)
            for byte in stem + [0x20] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return hash
    }

    /// Inflected words of all the languages.
    private static let probes = """
        running happiness generously organization's ponies succeeded häuser aufeinanderfolgenden freundlichkeit \
        continuellement mangeaient naciones corriendo rápidamente gatti abbandonata quilométricas inteligência \
        lichamelijkheden opglimpen huslighederne skarpt handlingarna jaktkarlarne havnedistriktene taloissamme \
        kirjoitetaan megalázhatóságot házaknak copilului frumoaselor красивыми вагонами бегающий kuća gradovima \
        σπίτια αναζητήσεις arabalarımızdan kitaplarının etxearen cantàvem ծառերին namų namais bhfuil gcapaill \
        membacakan pelajaran المكتبات والكتاب लड़कियों किताबें पुस्तकहरू மரங்களில் הייזער ביכער
        """
}

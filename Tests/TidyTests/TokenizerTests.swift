import Testing

@Suite("The tokenizer of the checks")
struct TokenizerTests {
    @Test(
        "Comments and strings contain no code; interpolations contain code",
        arguments: [
            ("a // b\nc", "a c"),
            ("a /* b /* c */ d */ e", "a e"),
            (#"a("b") + c"#, #"a ( " " ) + c"#),
            (#"x = "say \"b\" // no" + c"#, #"x = " " + c"#),
            (#""a\(b("c")!)d" e"#, #"" ( b ( " " ) ! ) " e"#),
            (##"#"a\(b)"c"# d"##, #"" " d"#),
            (##"#"a\#(b)"# d"##, #"" ( b ) " d"#),
            ("\"\"\"\na \"b\" \\(c) d\n\"\"\" e", #"" ( c ) " e"#),
            (#""" + b"#, #"" " + b"#),
            (##"a = #/b"!c/# d"##, "a = d"),
            ("`func` #if !os(Linux)", "`func` # if ! os ( Linux )"),
            ("a?.b1 = 0x1F", "a ? . b1 = 0x1F"),
        ]
    )
    func texts(sample: String, expected: String) {
        #expect(Tokenizer.tokens(of: sample).map(\.text).joined(separator: " ") == expected)
    }

    @Test("Line breaks in comments and long strings are counted")
    func lines() {
        let tokens = Tokenizer.tokens(of: "a\n/*\n*/ b \"\"\"\n\n\\(c)\n\"\"\"\nd // x\n\ne")
        #expect(tokens.filter { $0.isWord }.map { "\($0.text)\($0.line)" } == ["a1", "b3", "c5", "d7", "e9"])
    }

    @Test("A token knows whether white space precedes it")
    func space() {
        let tokens = Tokenizer.tokens(of: "a! b /**/c \"d\"!")
        #expect(tokens.map { $0.isAfterSpace ? " \($0.text)" : $0.text }.joined() == " a! b c \"\"!")
    }

    @Test("Every module has files, and the checks read them")
    func sources() {
        let seen = Set(Repository.sources.filter { !$0.tokens.isEmpty }.map(\.module))
        for module in ImportTests.table.keys {
            #expect(seen.contains(module), "no code was found in Sources/\(module)")
        }
    }
}
